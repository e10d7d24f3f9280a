import type { Choice } from "../command/definition.ts";
import type { Context } from "../context.ts";
import type { GroupKind } from "./groups.ts";

/** As many as anyone looks through. */
const CHOICES = 500;

/** What people pick from when they have not said which group. */
export function pickGroup(kind: GroupKind): (context: Context) => Promise<Choice[]> {
  return async (context) => {
    const groups = await some(context, kind);
    return groups.map(({ uid, name }) => ({ value: uid, label: name, hint: uid }));
  };
}

/** Names for the shell to complete; where two groups have the same, their uids. */
export function completeGroup(kind: GroupKind): (context: Context) => Promise<string[]> {
  return async (context) => {
    const byName = Map.groupBy(await some(context, kind), ({ name }) => name);
    return [...byName].flatMap(([name, same]) =>
      same.length === 1 ? [name] : same.map(({ uid }) => uid),
    );
  };
}

async function some(context: Context, kind: GroupKind) {
  const { groups } = await context.client();
  const uidp = kind === "organization" ? { inRoot: true } : {};
  const found = [];
  const all = groups.listAll({ uidp, orderBy: "name" }, { signal: context.signal });
  for await (const group of all) {
    if (kind === "folder" && !group.uid.includes("/")) continue;
    if (found.push(group) >= CHOICES) break;
  }
  return found;
}
