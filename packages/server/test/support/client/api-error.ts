/** Errors of the API, the same whichever protocol carried them. */

/** The HTTP status that each canonical code travels under; not the server's own table. */
const STATUS: Readonly<Record<number, number>> = {
  3: 400,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};

/** @example httpStatusOf(5) // 404 */
export function httpStatusOf(code: number): number | undefined {
  return STATUS[code];
}

/** The error of a rejected call. */
export class ApiError extends Error {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into details of every type.
  readonly details: readonly any[];
  /** The whole error, as REST has it. */
  readonly body: object;

  constructor(code: number, message: string, details: readonly object[]) {
    super(message);
    this.code = code;
    this.body = { code, message, details };
    this.details = details.map(withoutEmpty);
  }

  /** Descriptions of invalid fields, by path. */
  get fields(): Record<string, string> {
    const violations = this.#detail("BadRequest")?.fieldViolations ?? [];
    return Object.fromEntries(
      violations.map((one: { field: string; description: string }) => [one.field, one.description]),
    );
  }

  /** The types of the preconditions that do not hold. */
  get violations(): string[] {
    const violations = this.#detail("PreconditionFailure")?.violations ?? [];
    return violations.map((one: { type: string }) => one.type);
  }

  /** The most specific reason: the type of the first precondition that does not hold, or that of ErrorInfo. */
  get reason(): string {
    return this.violations[0] ?? this.#detail("ErrorInfo")?.reason ?? "";
  }

  /** The missing resource, as `Type name`. */
  get missing(): string {
    const { resourceType = "", resourceName } = this.#detail("ResourceInfo") ?? {};
    return `${resourceType.split("/").at(-1)} ${resourceName}`;
  }

  /** The missing capabilities and the scope, of a permission error: `groups.update at {uid}`. */
  get needs(): string {
    return this.message.replace(/^Permission denied: needs /, "").replaceAll('"', "");
  }

  #detail(type: string) {
    return this.details.find((one) => one["@type"] === `type.googleapis.com/google.rpc.${type}`);
  }
}

/** The binary form has no empty fields, so they cannot count. */
function withoutEmpty(detail: object): object {
  return Object.fromEntries(
    Object.entries(detail).filter(([, value]) => Object.keys(value).length > 0),
  );
}

/**
 * The error that a call ends with; fails if it succeeds.
 *
 * @example assert.equal((await rejected(api.groups.get(uid))).code, 5);
 */
export async function rejected(call: Promise<unknown>): Promise<ApiError> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in answer && answer.error instanceof ApiError) return answer.error;
  if ("error" in answer) throw answer.error;
  throw new Error(`the call succeeded: ${JSON.stringify(answer.value)}`);
}

/**
 * The errors of calls that are all under way; fails if any succeeds.
 *
 * @example for (const { code } of await allRejected([api.groups.get(a), api.groups.get(b)])) …
 */
export function allRejected(calls: readonly Promise<unknown>[]): Promise<ApiError[]> {
  return Promise.all(calls.map(rejected));
}
