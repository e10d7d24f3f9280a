/** Requests and responses that a server really received and sent, by operation id. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PathItem, Schema } from "./part.ts";

/** The recorded request and response of an operation. */
export interface Example {
  /** The body of the request. */
  readonly request?: unknown;
  /** Bodies of responses, by status. */
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** `npm run examples` writes a file for each scenario of `packages/server/test/openapi`. */
export const EXAMPLES_FOLDER = join(import.meta.dirname, "examples");

/** Operations that never succeed at this server, and what they are for. */
export const NEVER_SUCCEED: Readonly<Record<string, string>> = {
  GroupsService_LookupGroup: "no product of this server verifies organizations by a domain",
  V1_Groups_LookupGroup: "no product of this server verifies organizations by a domain",
  TermsService_AcceptTerms: "this server has no terms",
  V1_Terms_AcceptTerms: "this server has no terms",
};

/** Errors by reason, which the test of error texts writes. */
export const ERROR_EXAMPLES_FILE = join(import.meta.dirname, "error-examples.json");

/** Bodies of errors that a server really answered with, by reason. */
export const ERROR_EXAMPLES: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(ERROR_EXAMPLES_FILE, "utf8"),
);

/** The paths with examples at each body, for the first media type that it has. */
export function withExamples(paths: Readonly<Record<string, PathItem>>): Record<string, PathItem> {
  const examples = readExamples();
  const entries = Object.entries(paths).map(([path, item]): [string, PathItem] => {
    const operations = Object.entries(item).map(([verb, operation]): [string, Schema] => [
      verb,
      withExample(operation, examples[operation.operationId as string] ?? {}),
    ]);
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(entries);
}

function readExamples(): Readonly<Record<string, Example>> {
  const files = readdirSync(EXAMPLES_FOLDER).toSorted();
  const texts = files.map((name) => readFileSync(join(EXAMPLES_FOLDER, name), "utf8"));
  return Object.assign({}, ...texts.map((text) => JSON.parse(text)));
}

function withExample(operation: Schema, { request, responses = {} }: Example): Schema {
  const described = operation.responses as Readonly<Record<string, Schema>>;
  const answered = Object.entries(described).map(([status, response]) => [
    status,
    withContent(response, responses[status]),
  ]);
  const requestBody = operation.requestBody as Schema | undefined;
  return {
    ...operation,
    ...(requestBody && { requestBody: withContent(requestBody, request) }),
    responses: Object.fromEntries(answered),
  };
}

function withContent(body: Schema, example: unknown): Schema {
  if (example === undefined) return body;
  const [[type, media], ...others] = Object.entries(body.content as Schema) as [
    [string, Schema],
    ...[string, Schema][],
  ];
  return { ...body, content: { [type]: { ...media, example }, ...Object.fromEntries(others) } };
}
