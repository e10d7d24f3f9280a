/** JSON that registries and their users wrote: whatever is not of the expected type is treated as missing. */

export type Json = Readonly<Record<string, unknown>>;

/** Undefined for bytes that are not JSON. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The entries of an object whose values are strings. */
export function textMap(value: unknown): Record<string, string> {
  const texts = Object.entries(object(value)).filter(([, each]) => typeof each === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}
