import { invalidArgument } from "../../lib/errors.ts";
import { isRepositoryName } from "../path.ts";

/** The actions on a repository, granted separately. */
export const ACTIONS = ["pull", "push", "delete"] as const;

export type Action = (typeof ACTIONS)[number];

/** A requested scope. */
export type Scope =
  | {
      readonly type: "repository";
      readonly name: string;
      readonly actions: ReadonlySet<Action>;
      /** The actions that were named; `*` requests all that there are. */
      readonly named: ReadonlySet<Action>;
    }
  | { readonly type: "catalog" };

/** A build that mounts layers requests a handful. */
const MAX_SCOPES = 50;

/**
 * Parses scopes such as `repository:acme/app:pull,push` and `registry:catalog:*`. Unknown scopes are
 * ignored: by the protocol, a token may grant less than was requested.
 */
export function readScopes(texts: readonly string[]): Scope[] {
  const requested = texts.flatMap((text) => text.split(" ")).filter(Boolean);
  if (requested.length > MAX_SCOPES) {
    const description = `at most ${MAX_SCOPES} scopes per request, got ${requested.length}`;
    throw invalidArgument({ field: "scope", description });
  }
  const repositories = new Map<string, { actions: Set<Action>; named: Set<Action> }>();
  let catalog = false;
  for (const text of requested) {
    const [type, name, actions] = splitScope(text);
    if (type === "repository" && isRepositoryName(name)) {
      const merged = repositories.get(name) ?? { actions: new Set(), named: new Set() };
      const listed = actions.split(",");
      for (const action of ACTIONS) {
        if (listed.includes(action)) merged.named.add(action);
        if (listed.includes(action) || listed.includes("*")) merged.actions.add(action);
      }
      repositories.set(name, merged);
    } else if (text === "registry:catalog:*") catalog = true;
  }
  return [
    ...[...repositories].map(([name, asked]) => ({ type: "repository", name, ...asked }) as const),
    ...(catalog ? [{ type: "catalog" } as const] : []),
  ];
}

/** The name is between the first and the last colon. */
function splitScope(text: string): [type: string, name: string, actions: string] {
  const first = text.indexOf(":");
  const last = text.lastIndexOf(":");
  return last <= first
    ? ["", "", ""]
    : [text.slice(0, first), text.slice(first + 1, last), text.slice(last + 1)];
}
