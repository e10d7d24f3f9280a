import { CODES, type CodeName } from "@wharf/contract/messages";
import type { ApiClient } from "../support/client/api-client.ts";
import { ApiError } from "../support/client/api-error.ts";
import { Http } from "../support/client/http.ts";
import type { World } from "../support/world/world.ts";

/** A kind of rejection: when it happens, a request that causes it, and the error. */
export type ErrorText = readonly [
  when: string,
  cause: (ground: Ground) => Promise<unknown>,
  error: ExpectedError,
];

export interface ExpectedError {
  readonly code: CodeName;
  /** Without the words of the code. UIDs are written as `{uid}`, the address of the server as `{url}`. */
  readonly text: string;
  /** The invalid fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** The types of the preconditions that do not hold. */
  readonly violations: readonly string[];
}

/** The environment of the table's requests. */
export class Ground {
  readonly api: ApiClient;
  readonly world: World;
  /** An organization in which the operator alone has access. */
  readonly org: string;

  constructor(api: ApiClient, world: World, org: string) {
    this.api = api;
    this.world = world;
    this.org = org;
  }

  /** The API as an identity that holds these capabilities at the organization. */
  readonly as = async (...capabilities: readonly string[]): Promise<ApiClient> => {
    const bound = capabilities.length === 0 ? {} : { [this.org]: capabilities };
    return this.api.as((await this.world.member(bound)).token);
  };

  /** A request over REST, for what gRPC cannot express and for v1. Rejects as the API client does. */
  readonly rest = async (
    method: string,
    path: string,
    body?: unknown,
    token = this.api.token,
  ): Promise<void> => {
    const answer = await new Http(this.world.server.url, token).send(method, path, body);
    if (answer.status === 200) return;
    const { code, message, details } = answer.body;
    throw new ApiError(code, message, details);
  };

  readonly repo = async (parent = this.org): Promise<string> => {
    return (await this.api.repos.create(parent, { name: this.world.name("repo") })).uid;
  };
}

/** Invalid fields, and what is wrong with each. */
export function invalid(fields: Readonly<Record<string, string>>): ExpectedError {
  const text = Object.entries(fields).map(([field, problem]) =>
    field === "" ? problem : `${field}: ${problem}`,
  );
  return { code: "INVALID_ARGUMENT", text: text.join("; "), fields, violations: [] };
}

/** A precondition that does not hold. */
export function failed(violation: string, text: string): ExpectedError {
  return { code: "FAILED_PRECONDITION", text, fields: {}, violations: [violation] };
}

/** An error without details of its own. */
export function plain(code: CodeName, text: string): ExpectedError {
  return { code, text, fields: {}, violations: [] };
}

/** An error of the API as the table writes it. */
export function asExpected(error: ApiError, url: string): ExpectedError {
  const [code] = Object.entries(CODES).find(([, { number }]) => number === error.code) as [
    CodeName,
    unknown,
  ];
  const shown = (text: string) =>
    text
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{40}(?:\/[0-9a-f]{16})*(?![0-9a-f])/g, "{uid}")
      .replaceAll(url, "{url}");
  return {
    code,
    text: shown(error.message).replace(`${CODES[code].words}: `, ""),
    fields: Object.fromEntries(
      Object.entries(error.fields).map(([field, problem]) => [field, shown(problem)]),
    ),
    violations: error.violations,
  };
}
