import type { EventTypeJson } from "@wharf/contract/messages";

/** The first two parts of a type: `iam.group` of `iam.group.created.v1`. */
export function resourceOf(name: string): string {
  return name.split(".").slice(0, 2).join(".");
}

/** Pattern of all types of a resource: `iam.group.*`. */
export function patternOf(resource: string): string {
  return `${resource}.*`;
}

/**
 * Patterns that select readable types among all: of the resources all of whose types are readable, since a request
 * has room for few. Empty if all types are readable.
 */
export function patternsOf(
  readable: readonly EventTypeJson[],
  all: readonly EventTypeJson[],
): string[] {
  if (readable.length === all.length) return [];
  const allowed = new Set(readable.map(({ name = "" }) => name));
  const resources = new Set(readable.map(({ name = "" }) => resourceOf(name)));
  return [...resources]
    .filter((resource) =>
      all.every(({ name = "" }) => !name.startsWith(`${resource}.`) || allowed.has(name)),
    )
    .map(patternOf);
}
