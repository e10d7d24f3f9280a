/**
 * The five, and what some kinds have beside them. An action is a method of one resource; over REST
 * it is a verb after the uid, unless it says what else.
 */
export type Verb =
  | "Get"
  | "List"
  | "Create"
  | "Update"
  | "Delete"
  | "Lookup"
  | "BatchCreate"
  | "BatchDelete"
  | "Check"
  | "Test"
  | { readonly action: string; readonly rest?: HttpRequest };

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** One call of the contract, independent of the protocol that carries it. */
export interface Call {
  readonly verb: Verb;
  readonly kind: Kind;
  // biome-ignore lint/suspicious/noExplicitAny: tests send requests of every shape.
  readonly request: any;
}

/** The names that a kind of resource goes by. */
export interface Kind {
  /** The part of the contract that it belongs to. */
  readonly domain: "iam" | "registry" | "vulnerabilities";
  readonly service: string;
  readonly one: string;
  readonly many: string;
  /** In paths, and the key of its lists. */
  readonly collection: string;
  /** The field of requests that holds one. */
  readonly field: string;
}

/** What a refused call says, the same whichever protocol carried it. */
export class Refusal extends Error {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into details of every type.
  readonly details: readonly any[];

  constructor(code: number, message: string, details: readonly object[]) {
    super(message);
    this.code = code;
    this.details = details.map(withoutEmpty);
  }

  /** Which fields were refused, and why. */
  get fields(): Record<string, string> {
    const violations = this.#detail("BadRequest")?.fieldViolations ?? [];
    return Object.fromEntries(
      violations.map((one: { field: string; description: string }) => [one.field, one.description]),
    );
  }

  /** The types of the conditions that do not hold. */
  get violations(): string[] {
    const violations = this.#detail("PreconditionFailure")?.violations ?? [];
    return violations.map((one: { type: string }) => one.type);
  }

  /** What is missing, as `Type name`. */
  get missing(): string {
    const { resourceType = "", resourceName } = this.#detail("ResourceInfo") ?? {};
    return `${resourceType.split("/").at(-1)} ${resourceName}`;
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
 * The refusal that a call ends with; fails if it succeeds.
 *
 * @example assert.equal((await refused(api.groups.get(uid))).code, 5);
 */
export async function refused(call: Promise<unknown>): Promise<Refusal> {
  const answer = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in answer && answer.error instanceof Refusal) return answer.error;
  if ("error" in answer) throw answer.error;
  throw new Error(`the call succeeded: ${JSON.stringify(answer.value)}`);
}

/**
 * The refusals of calls that are all under way; fails if any succeeds.
 *
 * @example for (const { code } of await allRefused([api.groups.get(a), api.groups.get(b)])) …
 */
export function allRefused(calls: readonly Promise<unknown>[]): Promise<Refusal[]> {
  return Promise.all(calls.map(refused));
}
