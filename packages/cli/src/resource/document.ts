import { usageError } from "../errors.ts";

/** What a file that people wrote holds: YAML, and so JSON, too. */
export async function readDocument(source: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch (error) {
    throw usageError(`${source} is neither YAML nor JSON: ${(error as Error).message}`);
  }
}

/** The same where it must be an object. */
export async function readObject(source: string, text: string): Promise<Record<string, unknown>> {
  const value = await readDocument(source, text);
  if (isObject(value)) return value;
  throw usageError(`${source} must hold an object with fields, such as name: ci`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
