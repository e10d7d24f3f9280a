import { badRequest } from "./errors.ts";
import { parseValueFilter } from "./filter.ts";
import { type AttributePath, findPath } from "./path.ts";
import type { ScimKind } from "./schemas.ts";
import { type Json, keyOf, objectOf, readResource, readValue } from "./values.ts";

/** Providers send a few, or one per member for up to a hundred members. */
const MAX_OPERATIONS = 500;

/** Bounds the cost of parsing. */
const MAX_PATH_LENGTH = 1_000;

/** A PATCH operation with resolved names. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly path: AttributePath;
  /** The value filter after the attribute, if any. */
  readonly filter: string | undefined;
  readonly value: unknown;
}

/**
 * Parses PATCH operations. One without a path becomes one per attribute of its value. Unknown names
 * are ignored there, as in a complete resource; unknown paths are rejected.
 */
export function readPatch(kind: ScimKind, body: Json): Operation[] {
  const key = keyOf(body, "Operations");
  const input = key === undefined ? undefined : body[key];
  if (!Array.isArray(input) || input.length === 0)
    throw badRequest("invalidSyntax", "Operations must be a list with at least one operation");
  if (input.length > MAX_OPERATIONS)
    throw badRequest("tooMany", `Operations must have at most ${MAX_OPERATIONS}`);
  return input.flatMap((one) => readOperation(kind, objectOf(one, "an operation")));
}

function readOperation(kind: ScimKind, input: Json): Operation[] {
  const { path, value } = input;
  const op = typeof input.op === "string" ? input.op.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw badRequest("invalidSyntax", "op must be add, replace or remove");
  if (path !== undefined && path !== null && path !== "") return withPath(kind, op, path, value);
  if (op === "remove") throw badRequest("noTarget", "remove needs a path");
  return Object.entries(objectOf(value, "a value without a path")).flatMap(([name, one]) =>
    withoutPath(kind, op, name, one),
  );
}

const PATH = /^(?<name>[^[\]]+)(?:\[(?<filter>.+)\](?:\.(?<subAttribute>[^[\].]+))?)?$/s;

/** Resolves a path: an attribute or sub-attribute, of all values or of selected ones. */
function locate(kind: ScimKind, text: string): Pick<Operation, "path" | "filter"> | undefined {
  if (text.length > MAX_PATH_LENGTH) return undefined;
  const { name = "", filter, subAttribute } = PATH.exec(text)?.groups ?? {};
  const before = findPath(kind, name);
  const path = subAttribute === undefined ? before : findPath(kind, `${name}.${subAttribute}`);
  if (before === undefined || path === undefined) return undefined;
  const picksAmongOne = !before.attribute.multiValued || before.subAttribute !== undefined;
  return filter !== undefined && picksAmongOne ? undefined : { path, filter };
}

function isReadOnly({ attribute, subAttribute }: AttributePath): boolean {
  return attribute.mutability === "readOnly" || subAttribute?.mutability === "readOnly";
}

function withPath(kind: ScimKind, op: Operation["op"], text: unknown, value: unknown): Operation[] {
  if (typeof text !== "string") throw badRequest("invalidPath", "a path must be a string");
  if (isExtension(kind, text)) return wholeExtension(kind, op, value);
  const found = locate(kind, text);
  if (found === undefined) throw badRequest("invalidPath", "the path does not name an attribute");
  if (isReadOnly(found.path))
    throw badRequest("mutability", `${found.path.attribute.name} cannot be changed`);
  return [{ op, ...found, value }];
}

function withoutPath(
  kind: ScimKind,
  op: Operation["op"],
  name: string,
  value: unknown,
): Operation[] {
  if (isExtension(kind, name)) return wholeExtension(kind, op, value);
  const found = locate(kind, name);
  return found === undefined || isReadOnly(found.path) ? [] : [{ op, ...found, value }];
}

function isExtension({ extension }: ScimKind, name: string): boolean {
  return extension !== undefined && name.toLowerCase() === extension.id.toLowerCase();
}

/** Splits an operation on an extension into its attributes. */
function wholeExtension(kind: ScimKind, op: Operation["op"], value: unknown): Operation[] {
  const { id = "", attributes = [] } = kind.extension ?? {};
  const input: [string, unknown][] =
    op === "remove"
      ? attributes.map(({ name }) => [name, undefined])
      : Object.entries(objectOf(value, id));
  return input.flatMap(([name, one]) => withoutPath(kind, op, `${id}:${name}`, one));
}

/** Applies operations to a resource and validates the result like a complete resource. */
export function applyPatch(kind: ScimKind, before: Json, operations: readonly Operation[]): Json {
  const resource = structuredClone(before);
  for (const operation of operations) applyOne(resource, operation);
  return readResource(kind, resource);
}

function applyOne(resource: Json, operation: Operation): void {
  const { extension, attribute, subAttribute } = operation.path;
  const holder = extension === undefined ? resource : objectAt(resource, extension);
  if (subAttribute === undefined && operation.filter === undefined) setWhole(holder, operation);
  else if (attribute.multiValued) setSelected(holder, operation);
  else if (operation.op === "remove")
    delete (holder[attribute.name] as Json | undefined)?.[partOf(operation)];
  else setPart(objectAt(holder, attribute.name), operation);
}

function objectAt(holder: Json, name: string): Json {
  holder[name] ??= {};
  return holder[name] as Json;
}

function partOf({ path }: Operation): string {
  return path.subAttribute?.name ?? "";
}

/**
 * Sets a whole attribute: adds values to a multi-valued one, merges sub-attributes of a complex
 * one.
 */
function setWhole(holder: Json, { op, path: { attribute }, value }: Operation): void {
  const { name, multiValued, type } = attribute;
  const read = readValue(attribute, value);
  if (multiValued && op !== "replace") {
    const all = (holder[name] as Json[] | undefined) ?? [];
    const input = (read as Json[] | undefined) ?? [];
    if (op === "add") {
      const known = new Set(all.map(contentOf));
      holder[name] = [...all, ...input.filter((one) => !known.has(contentOf(one)))];
    } else {
      const isGiven = (one: Json) => input.some((subAttributes) => hasAll(one, subAttributes));
      holder[name] =
        value === undefined || value === null ? [] : all.filter((one) => !isGiven(one));
    }
  } else if (op === "remove" || (op === "replace" && read === undefined)) delete holder[name];
  // Adding no supported value changes nothing.
  else if (read === undefined) return;
  else if (type === "complex" && !multiValued) Object.assign(objectAt(holder, name), read);
  else holder[name] = read;
}

/** A canonical text of a value. */
function contentOf(value: Json): string {
  return JSON.stringify(Object.entries(value).sort());
}

function hasAll(value: Json, subAttributes: Json): boolean {
  return Object.entries(subAttributes).every(
    ([name, subAttribute]) => value[name] === subAttribute,
  );
}

/** Sets or removes selected values of an attribute, or a sub-attribute of them. */
function setSelected(holder: Json, operation: Operation): void {
  const { op, path, filter } = operation;
  const { name, subAttributes = [] } = path.attribute;
  const all = (holder[name] as Json[] | undefined) ?? [];
  const picked = filter === undefined ? undefined : parseValueFilter(subAttributes, filter);
  const chosen = picked === undefined ? all : all.filter((one) => picked.matches(one));
  if (op === "remove" && path.subAttribute === undefined) {
    holder[name] = all.filter((one) => !chosen.includes(one));
  } else if (op === "remove") {
    for (const one of chosen) delete one[partOf(operation)];
  } else if (chosen.length > 0) {
    for (const one of chosen) setPart(one, operation);
  } else {
    // Adds a missing value if the filter consists of equalities.
    if (picked !== undefined && picked.equalities === undefined)
      throw badRequest("noTarget", `no value of ${name} matches`);
    const result: Json = { ...picked?.equalities };
    setPart(result, operation);
    holder[name] = [...all, result];
  }
}

/** Sets a sub-attribute of one value, or merges several. */
function setPart(target: Json, { op, path, value }: Operation): void {
  const { attribute, subAttribute } = path;
  const read = readValue(subAttribute ?? { ...attribute, multiValued: false }, value);
  if (subAttribute === undefined) Object.assign(target, read ?? {});
  else if (read !== undefined) target[subAttribute.name] = read;
  else if (op === "replace") delete target[subAttribute.name];
}
