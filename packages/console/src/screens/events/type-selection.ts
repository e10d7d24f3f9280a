import type { EventTypeJson } from "@wharf/contract/messages";
import { patternOf, resourceOf } from "../../api/event-types.ts";

/** Adds a name to a selection, in place of others that it implies, or removes it. */
export function toggled(
  chosen: readonly string[],
  name: string,
  implied: readonly string[] = [],
): readonly string[] {
  if (chosen.includes(name)) return chosen.filter((one) => one !== name);
  return [...chosen.filter((one) => !implied.includes(one)), name];
}

/** Types whose names contain a text, by resource: those of some resources first, others in their order. */
export function typesByResource(
  types: readonly EventTypeJson[],
  text: string,
  first: ReadonlySet<string>,
): readonly (readonly [resource: string, types: readonly EventTypeJson[]])[] {
  const part = text.trim().toLowerCase();
  const found = types.filter(({ name = "" }) => name.toLowerCase().includes(part));
  return [...Map.groupBy(found, ({ name = "" }) => resourceOf(name))].sort(
    ([one], [other]) => Number(first.has(other)) - Number(first.has(one)),
  );
}

/** Selected patterns that a list of types does not offer, such as those of the command line. */
export function unlisted(
  types: readonly EventTypeJson[],
  chosen: readonly string[],
): readonly string[] {
  const listed = new Set(types.flatMap(({ name = "" }) => [name, patternOf(resourceOf(name))]));
  return types.length === 0 ? [] : chosen.filter((one) => !listed.has(one));
}

/** Capabilities that events of these types require and the caller lacks. */
export function missingCapabilities(
  types: readonly EventTypeJson[],
  can: (capability: string) => boolean,
): readonly string[] {
  const required = types.flatMap(({ capabilities = [] }) => capabilities);
  return [...new Set(required.filter((one) => !can(one)))];
}
