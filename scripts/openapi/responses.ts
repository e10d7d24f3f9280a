/** The error responses of all operations. */
import type { DescMethod } from "@bufbuild/protobuf";
import { accessOf, isCreate } from "@wharf/contract";
import { CODES, type CodeName } from "@wharf/contract/messages";
import { content, responseRef, type Schema, schemaRef, text } from "./part.ts";

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

const DOMAIN = "iam.wharf.internal";
const UID = "2f37503fcc2b74e91b4466bd858c72592a10696e/f0eef1ab43cb510f";
const INVALID_NAME = 'name must match "^[a-z0-9 ._-]{1,}$"';
const NOT_EMPTY = "cannot delete group with child groups";

function example(code: CodeName, message: string, ...details: Schema[]): Schema {
  return {
    summary: code,
    value: {
      code: CODES[code].number,
      message: `${CODES[code].words}: ${message}`,
      details: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: code, domain: DOMAIN },
        ...details,
      ],
    },
  };
}

const detail = (type: string, fields: Schema): Schema => ({
  "@type": `type.googleapis.com/google.rpc.${type}`,
  ...fields,
});

function errorResponse(description: string, examples: Record<string, Schema>): Schema {
  return {
    description,
    content: { "application/json": { schema: schemaRef("Status"), examples } },
  };
}

const RETRY_AFTER: Schema = {
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
};

/** Responses that operations refer to, by name. */
export const ERROR_RESPONSES: Readonly<Record<string, Schema>> = {
  BadRequest: errorResponse(
    "INVALID_ARGUMENT: a field is missing or invalid. FAILED_PRECONDITION: the state of a resource does not allow it.",
    {
      invalidArgument: example(
        "INVALID_ARGUMENT",
        `name: ${INVALID_NAME}`,
        detail("BadRequest", { fieldViolations: [{ field: "name", description: INVALID_NAME }] }),
      ),
      failedPrecondition: example(
        "FAILED_PRECONDITION",
        NOT_EMPTY,
        detail("PreconditionFailure", {
          violations: [{ type: "RESOURCE_NOT_EMPTY", description: NOT_EMPTY }],
        }),
      ),
    },
  ),
  Unauthenticated: errorResponse("UNAUTHENTICATED: the token is missing, invalid or expired.", {
    unauthenticated: example("UNAUTHENTICATED", "a bearer token is required"),
  }),
  PermissionDenied: errorResponse("PERMISSION_DENIED: the caller lacks a capability.", {
    permissionDenied: example("PERMISSION_DENIED", `needs groups.update at "${UID}"`),
  }),
  NotFound: errorResponse("NOT_FOUND: it does not exist, or the caller cannot see it.", {
    notFound: example(
      "NOT_FOUND",
      `Group "${UID}" does not exist`,
      detail("ResourceInfo", {
        resourceType: `${DOMAIN}/Group`,
        resourceName: UID,
        owner: "",
        description: "",
      }),
    ),
  }),
  Conflict: errorResponse(
    "ALREADY_EXISTS: another resource has what must be unique. ABORTED: it has changed since the caller read it.",
    {
      alreadyExists: example(
        "ALREADY_EXISTS",
        'Package "zlib" exists',
        detail("ResourceInfo", {
          resourceType: `${DOMAIN}/Package`,
          resourceName: "zlib",
          owner: "",
          description: "",
        }),
      ),
    },
  ),
  TooManyRequests: {
    ...errorResponse(
      "RESOURCE_EXHAUSTED: a quota or a rate limit is reached, or the request is too large.",
      {
        resourceExhausted: example(
          "RESOURCE_EXHAUSTED",
          "too many attempts",
          detail("RetryInfo", { retryDelay: "60s" }),
        ),
      },
    ),
    headers: RETRY_AFTER,
  },
  Error: errorResponse("Any other error.", {
    unavailable: example(
      "UNAVAILABLE",
      "the database cannot be reached",
      detail("RetryInfo", { retryDelay: "5s" }),
    ),
  }),
};

/** The error responses of a method, by status. */
export function errorResponsesOf(desc: DescMethod, hasPath: boolean): Schema {
  const access = accessOf(desc)?.kind;
  const isChange = /^(Create|Update|Delete|Batch|Import)/.test(desc.name);
  return {
    "400": responseRef("BadRequest"),
    ...(access !== "anyone" && { "401": responseRef("Unauthenticated") }),
    ...(access !== "authenticated" && { "403": responseRef("PermissionDenied") }),
    ...(hasPath && { "404": responseRef("NotFound") }),
    ...((isChange || isCreate(desc)) && { "409": responseRef("Conflict") }),
    "429": responseRef("TooManyRequests"),
    default: responseRef("Error"),
  };
}

/** The responses of endpoints beside the contract that answer with the errors of the API. */
export const COMMON_ERRORS: Schema = {
  "429": responseRef("TooManyRequests"),
  default: responseRef("Error"),
};

/** A response with a JSON body. */
export function jsonResponse(description: string, schema: Schema, example?: unknown): Schema {
  return { description, content: content(schema, "application/json", example) };
}
