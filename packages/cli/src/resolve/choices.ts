import type { Choice } from "../command/definition.ts";
import type { Context } from "../context.ts";
import type { HasUid, Kind, Named } from "./kinds.ts";

const MAX_CHOICES = 500;

/** The pick list for a missing argument or option. */
export function pickOf<T extends HasUid>(kind: Kind<T>): (context: Context) => Promise<Choice[]> {
  return async (context) =>
    (await firstOf(context, kind)).map((item) => ({
      value: item.uid,
      label: kind.label(item),
      hint: kind.hint(item),
    }));
}

/** Candidates for shell completion: names where they are unique, UIDs otherwise. */
export function completeOf<T extends HasUid>(
  kind: Kind<T>,
): (context: Context) => Promise<string[]> {
  return async (context) => {
    const found = await firstOf(context, kind);
    if (!kind.isNamed) return found.map(({ uid }) => uid);
    const byName = Map.groupBy(found as readonly HasUid[] as readonly Named[], ({ name }) => name);
    return [...byName].flatMap(([name, same]) =>
      same.length === 1 ? [name] : same.map(({ uid }) => uid),
    );
  };
}

async function firstOf<T extends HasUid>(
  { client, signal }: Context,
  { service, filter = {}, includes = () => true }: Kind<T>,
): Promise<T[]> {
  const found: T[] = [];
  for await (const item of service(await client()).listAll(filter, { signal })) {
    if (includes(item) && found.push(item) >= MAX_CHOICES) break;
  }
  return found;
}

/** Loaded on demand: the list of capabilities comes with the whole contract. */
export async function completeCapabilities(): Promise<string[]> {
  const { ASSIGNABLE_CAPABILITIES, capabilityNames } = await import("./capabilities.ts");
  return capabilityNames(ASSIGNABLE_CAPABILITIES);
}
