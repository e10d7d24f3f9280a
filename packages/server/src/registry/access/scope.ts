import { invalidArgument } from "../../lib/errors.ts";
import { isRepositoryName } from "../path.ts";

/** What can be done with a repository, each granted apart. */
export const ACTIONS = ["pull", "push", "delete"] as const;

export type Action = (typeof ACTIONS)[number];

/** One thing that a client asks a token for. */
export type Scope =
  | { readonly type: "repository"; readonly name: string; readonly actions: ReadonlySet<Action> }
  | { readonly type: "catalog" };

/** A build that mounts layers asks for a handful; more is a mistake, or an attempt to be expensive. */
const MOST_SCOPES = 50;

/**
 * Reads what a client asks for. What nobody here knows is left out, as the protocol has it: a token
 * that grants less is an answer.
 *
 * @example readScopes(["repository:acme/app:pull,push", "registry:catalog:*"])
 */
export function readScopes(texts: readonly string[]): Scope[] {
  const wanted = texts.flatMap((text) => text.split(" ")).filter(Boolean);
  if (wanted.length > MOST_SCOPES) {
    const description = `a request names ${MOST_SCOPES} scopes at most`;
    throw invalidArgument({ field: "scope", description });
  }
  const repositories = new Map<string, Set<Action>>();
  let catalog = false;
  for (const text of wanted) {
    const [type, name, actions] = partsOf(text);
    if (type === "repository" && isRepositoryName(name)) {
      const asked = repositories.get(name) ?? new Set();
      for (const action of actionsOf(actions)) asked.add(action);
      repositories.set(name, asked);
    } else if (text === "registry:catalog:*") catalog = true;
  }
  return [
    ...[...repositories].map(([name, actions]) => ({ type: "repository", name, actions }) as const),
    ...(catalog ? [{ type: "catalog" } as const] : []),
  ];
}

/** The name stands between the first colon and the last. */
function partsOf(text: string): [type: string, name: string, actions: string] {
  const first = text.indexOf(":");
  const last = text.lastIndexOf(":");
  return last <= first
    ? ["", "", ""]
    : [text.slice(0, first), text.slice(first + 1, last), text.slice(last + 1)];
}

function actionsOf(text: string): Action[] {
  const asked = text.split(",");
  return ACTIONS.filter((action) => asked.includes(action) || asked.includes("*"));
}
