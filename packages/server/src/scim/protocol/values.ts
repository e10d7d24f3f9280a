import { type Attribute, attributeNamed } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { COMMON, type ScimKind } from "./schemas.ts";

/**
 * Converts input to stored values: supported attributes under their canonical names, with values of their type.
 * Everything else is dropped, as RFC 7644 allows, so that unvalidated input is never stored, returned or used as a key.
 */

/** A resource or a complex value as JSON. */
export type Json = { [name: string]: unknown };

/** Bounds of texts, and of texts that are indexed. Indexed ones must not be empty. */
const MAX_TEXT_LENGTH = 4_096;
const MAX_KEY_LENGTH = 255;
const KEYS: ReadonlySet<string> = new Set(["userName", "displayName", "externalId"]);

/** Bounds the values of an attribute. */
const MAX_VALUES = 200;

/** The writable attributes of a resource, without memberships. */
export function readResource(kind: ScimKind, input: unknown): Json {
  const source = objectOf(input, "the resource");
  const own = [...COMMON, ...kind.schema.attributes].filter(({ name }) => name !== kind.relation);
  const resource = readObject(own, source, "");
  const { extension } = kind;
  const key = extension && keyOf(source, extension.id);
  if (extension !== undefined && key !== undefined && source[key] !== null) {
    const inner = readObject(extension.attributes, objectOf(source[key], key), "");
    if (Object.keys(inner).length > 0) resource[extension.id] = inner;
  }
  for (const { name, required } of own) {
    if (required && resource[name] === undefined)
      throw badRequest("invalidValue", `${name} is required`);
  }
  return resource;
}

/** The value of an attribute; undefined for null. */
export function readValue(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(attribute, value, path);
  const all = Array.isArray(value) ? value : [value];
  if (all.length > MAX_VALUES)
    throw badRequest("tooMany", `${path} must have at most ${MAX_VALUES} values`);
  const read = all
    .map((one) => readSingle(attribute, one, path))
    .filter((one) => one !== undefined);
  return read.length > 0 ? withOnePrimary(read) : undefined;
}

/** If several values are primary, the last one wins: it was added last. */
function withOnePrimary(values: readonly unknown[]): unknown[] {
  const isPrimary = (value: unknown) => (value as { primary?: unknown }).primary === true;
  const last = values.findLastIndex(isPrimary);
  return values.map((value, at) =>
    at !== last && isPrimary(value) ? { ...(value as Json), primary: false } : value,
  );
}

function readSingle(attribute: Attribute, value: unknown, path: string): unknown {
  if (value === null) return undefined;
  switch (attribute.type) {
    case "boolean":
      return readBoolean(value, path);
    case "complex":
      return readComplex(attribute.subAttributes ?? [], value, path);
    default:
      return readText(attribute, value, path);
  }
}

/** Some providers send booleans as strings. */
function readBoolean(value: unknown, path: string): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw badRequest("invalidValue", `${path} must be true or false`);
}

function readText({ name }: Attribute, value: unknown, path: string): string | undefined {
  const maxLength = KEYS.has(name) ? MAX_KEY_LENGTH : MAX_TEXT_LENGTH;
  if (typeof value !== "string") throw badRequest("invalidValue", `${path} must be a string`);
  if (value.length > maxLength)
    throw badRequest("invalidValue", `${path} must have at most ${maxLength} characters`);
  // PostgreSQL cannot store NUL in text.
  if (value.includes("\0")) throw badRequest("invalidValue", `${path} must not contain NUL`);
  return value === "" && KEYS.has(name) ? undefined : value;
}

/** Some providers send only the value of a complex attribute. */
function readComplex(
  subAttributes: readonly Attribute[],
  value: unknown,
  path: string,
): Json | undefined {
  const alone = typeof value === "string" && attributeNamed(subAttributes, "value");
  const source = alone ? { value } : objectOf(value, path);
  const read = readObject(subAttributes, source, `${path}.`);
  return Object.keys(read).length > 0 ? read : undefined;
}

function readObject(attributes: readonly Attribute[], source: Json, prefix: string): Json {
  const read: Json = {};
  for (const [key, value] of Object.entries(source)) {
    const attribute = attributeNamed(attributes, key);
    if (attribute === undefined || attribute.mutability === "readOnly") continue;
    const known = readValue(attribute, value, prefix + attribute.name);
    if (known !== undefined) read[attribute.name] = known;
  }
  return read;
}

export function objectOf(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw badRequest("invalidSyntax", `${what} must be an object`);
}

/** Finds a key of an object, case-insensitively. */
export function keyOf(source: Json, name: string): string | undefined {
  const lowerName = name.toLowerCase();
  return Object.keys(source).find((key) => key.toLowerCase() === lowerName);
}
