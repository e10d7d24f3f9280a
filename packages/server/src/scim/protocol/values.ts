import { type Attribute, attributeNamed } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { COMMON, type ScimKind } from "./schemas.ts";

/**
 * From what an identity provider sends to what is kept: known attributes under their own names, with
 * values of their own type. Everything else is left out, as RFC 7644 lets us, so that nothing that
 * was not looked at is ever stored, shown or used as a key.
 */

/** A resource, or a part of one, as JSON. */
export type Json = { [name: string]: unknown };

/** Longer texts are not what people or systems are called; those that are looked up are shorter, and not empty. */
const LONGEST = 4_096;
const LONGEST_KEY = 255;
const KEYS: ReadonlySet<string> = new Set(["userName", "displayName", "externalId"]);

/** More values than this in one attribute are not a person's. */
const MOST_VALUES = 200;

/**
 * The attributes of a resource that a caller may set. Those that are kept elsewhere are left out.
 */
export function readResource(kind: ScimKind, input: unknown): Json {
  const given = objectOf(input, "the resource");
  const own = [...COMMON, ...kind.schema.attributes].filter(({ name }) => name !== kind.relation);
  const resource = readObject(own, given, "");
  const { extension } = kind;
  const key = extension && keyOf(given, extension.id);
  if (extension !== undefined && key !== undefined && given[key] !== null) {
    const inner = readObject(extension.attributes, objectOf(given[key], key), "");
    if (Object.keys(inner).length > 0) resource[extension.id] = inner;
  }
  for (const { name, required } of own) {
    if (required && resource[name] === undefined)
      throw badRequest("invalidValue", `${name} is required`);
  }
  return resource;
}

/** The value of one attribute; undefined where it says that there is none. */
export function readValue(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readSingle(attribute, value, path);
  const all = Array.isArray(value) ? value : [value];
  if (all.length > MOST_VALUES)
    throw badRequest("tooMany", `${path} must have at most ${MOST_VALUES} values`);
  const read = all
    .map((one) => readSingle(attribute, one, path))
    .filter((one) => one !== undefined);
  return read.length > 0 ? withOnePrimary(read) : undefined;
}

/** Of several that are called primary, the last one is meant: it was added last. */
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

/** Some providers send switches as words. */
function readBoolean(value: unknown, path: string): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "true" || word === "false") return word === "true";
  throw badRequest("invalidValue", `${path} must be true or false`);
}

function readText({ name }: Attribute, value: unknown, path: string): string | undefined {
  const longest = KEYS.has(name) ? LONGEST_KEY : LONGEST;
  if (typeof value !== "string") throw badRequest("invalidValue", `${path} must be a text`);
  if (value.length > longest)
    throw badRequest("invalidValue", `${path} must have at most ${longest} characters`);
  // Not every database can keep it.
  if (value.includes("\0"))
    throw badRequest("invalidValue", `${path} must not hold the character NUL`);
  return value === "" && KEYS.has(name) ? undefined : value;
}

/** Some providers send the value alone where it has parts. */
function readComplex(parts: readonly Attribute[], value: unknown, path: string): Json | undefined {
  const alone = typeof value === "string" && attributeNamed(parts, "value");
  const given = alone ? { value } : objectOf(value, path);
  const read = readObject(parts, given, `${path}.`);
  return Object.keys(read).length > 0 ? read : undefined;
}

function readObject(attributes: readonly Attribute[], given: Json, prefix: string): Json {
  const read: Json = {};
  for (const [key, value] of Object.entries(given)) {
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

/** The key of an object that is a name, in whatever case. */
export function keyOf(given: Json, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.keys(given).find((key) => key.toLowerCase() === wanted);
}
