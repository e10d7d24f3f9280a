import type { Choice } from "../command/definition.ts";
import type { Context } from "../context.ts";
import type { Kind, Named } from "./kinds.ts";

/** As many as anyone looks through. */
const CHOICES = 500;

/** What people pick from when they have not said which. */
export function pickOf<T extends Named>(kind: Kind<T>): (context: Context) => Promise<Choice[]> {
  return async (context) =>
    (await some(context, kind)).map(({ uid, name, description }) => ({
      value: uid,
      label: name,
      hint: description || uid,
    }));
}

/** Names for the shell to complete; where two have the same, their uids. */
export function completeOf<T extends Named>(
  kind: Kind<T>,
): (context: Context) => Promise<string[]> {
  return async (context) => {
    const byName = Map.groupBy(await some(context, kind), ({ name }) => name);
    return [...byName].flatMap(([name, same]) =>
      same.length === 1 ? [name] : same.map(({ uid }) => uid),
    );
  };
}

async function some<T extends Named>({ client, signal }: Context, kind: Kind<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of kind.list(await client(), { orderBy: "name" }, { signal })) {
    if (found.push(one) >= CHOICES) break;
  }
  return found;
}
