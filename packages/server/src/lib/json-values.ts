/** Values of parsed JSON, of which nothing is known. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects in a list; other entries, and values that are no list, are ignored. */
export function objectsIn<Member = unknown>(list: unknown): Record<string, Member>[] {
  return Array.isArray(list)
    ? list.filter((entry): entry is Record<string, Member> => isObject(entry))
    : [];
}

/** The texts in a list. */
export function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}
