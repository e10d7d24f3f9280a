/** The error responses of operations. */
import { CODES } from "@wharf/contract/messages";
import { ERROR_EXAMPLES } from "./examples.ts";
import { content, responseRef, type Schema, schemaRef, text } from "./part.ts";
import { CODE_TEXTS, statusOf, textOfReason } from "./reasons.ts";

const violation = (what: Schema, required: readonly string[]): Schema => ({
  type: "array",
  items: { type: "object", required, properties: what },
});

/** Schemas of errors, by name. */
export const ERROR_SCHEMAS: Readonly<Record<string, Schema>> = {
  Status: {
    type: "object",
    title: "Status",
    description: "An error: `google.rpc.Status`, with the same codes and details as over gRPC.",
    required: ["code", "message", "details"],
    properties: {
      code: {
        type: "integer",
        format: "int32",
        description: `Canonical code: ${codeList()}.`,
      },
      message: text("What is wrong, for people: the words of the code, a colon, and a sentence."),
      details: {
        type: "array",
        description: "Typed details. ErrorInfo is always the first.",
        items: schemaRef("ErrorDetail"),
      },
    },
  },
  ErrorDetail: {
    type: "object",
    title: "ErrorDetail",
    description: "One detail of an error. `@type` says which of the other fields it has.",
    required: ["@type"],
    properties: {
      "@type": {
        type: "string",
        description: "Type of the detail, after `type.googleapis.com/`.",
        enum: ["ErrorInfo", "BadRequest", "PreconditionFailure", "ResourceInfo", "RetryInfo"].map(
          (name) => `type.googleapis.com/google.rpc.${name}`,
        ),
      },
      reason: text("ErrorInfo: the name of the code, or a more specific reason."),
      domain: text("ErrorInfo: the error domain of the installation."),
      fieldViolations: {
        description: "BadRequest: the fields that are invalid.",
        ...violation(
          {
            field: text("Path of the field as the client sent it; empty for the whole request."),
            description: text("What is wrong with it."),
          },
          ["field", "description"],
        ),
      },
      violations: {
        description: "PreconditionFailure: what the state of resources does not allow.",
        ...violation(
          {
            type: text("Kind of violation, such as `RESOURCE_NOT_EMPTY`."),
            subject: text("Resource that is in the way."),
            description: text("What to do about it."),
          },
          ["type", "description"],
        ),
      },
      resourceType: text("ResourceInfo: kind of the resource, after the error domain."),
      resourceName: text("ResourceInfo: UID or name of the resource."),
      owner: text("ResourceInfo: always empty."),
      description: text("ResourceInfo: always empty."),
      retryDelay: text("RetryInfo: when to try again, such as `5s`; also in `Retry-After`."),
    },
  },
};

function codeList(): string {
  return Object.entries(CODES)
    .map(([name, { number }]) => `${number} ${name}`)
    .join(", ");
}

const RETRY_AFTER: Schema = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
};

/** Responses that operations refer to: of codes that are the only reason of their status, and of all operations. */
export const ERROR_RESPONSES: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    Object.keys(CODE_TEXTS).map((code) => [componentName(code), errorResponse([code])]),
  ),
  TooManyRequests: {
    ...errorResponse(["RESOURCE_EXHAUSTED"]),
    headers: RETRY_AFTER,
  },
  Error: errorResponse(["UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "COMMIT_OUTCOME_UNKNOWN"]),
};

/** A response for some reasons, each with its meaning and, if a test has recorded it, an example. */
function errorResponse(reasons: readonly string[]): Schema {
  const described = reasons.map((reason) => `\`${reason}\`: ${textOfReason(reason)}`);
  const examples = reasons
    .filter((reason) => reason in ERROR_EXAMPLES)
    .map((reason) => [reason, { $ref: `#/components/examples/${reason}` }]);
  return {
    description:
      described.length > 1 ? described.map((one) => `- ${one}`).join("\n") : described[0],
    "x-reasons": reasons,
    content: {
      "application/json": {
        schema: schemaRef("Status"),
        ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
      },
    },
  };
}

/** Responses by status. Responses of one common code are shared. */
export function errorResponses(reasons: ReadonlySet<string>): Schema {
  const byStatus = Map.groupBy([...reasons].sort(), (reason) => String(statusOf(reason)));
  const responses = [...byStatus].map(([status, all]) => {
    const [only = ""] = all;
    const isShared = all.length === 1 && only in CODE_TEXTS;
    return [status, isShared ? responseRef(componentName(only)) : errorResponse(all)];
  });
  return Object.fromEntries(responses);
}

/** `NotFound` for `NOT_FOUND`. */
function componentName(code: string): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The errors of any operation. */
export const COMMON_ERRORS: Schema = {
  "429": responseRef("TooManyRequests"),
  default: responseRef("Error"),
};

/** A response with a JSON body. */
export function jsonResponse(description: string, schema: Schema, example?: unknown): Schema {
  return { description, content: content(schema, "application/json", example) };
}

/** An error response of a protocol with reasons of its own: the codes of OCI or OAuth, the types of SCIM. */
export function protocolError(
  description: string,
  [type, schema]: readonly [mediaType: string, schema: string],
  reasons: readonly string[] = [],
): Schema {
  const list = reasons.map((reason) => `\`${reason}\``).join(", ");
  return {
    description: list === "" ? description : `${description} ${list}.`,
    ...(reasons.length > 0 && { "x-reasons": reasons }),
    content: content(schemaRef(schema), type),
  };
}
