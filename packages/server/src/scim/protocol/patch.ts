import { badRequest } from "./errors.ts";
import { parseValueFilter } from "./filter.ts";
import { type AttributePath, findPath } from "./path.ts";
import type { ScimKind } from "./schemas.ts";
import { type Json, keyOf, objectOf, readResource, readValue } from "./values.ts";

/** Providers send a few, or one for each of a hundred members. */
const MOST_OPERATIONS = 500;

/** Longer paths are nobody's, and slow to take apart. */
const LONGEST_PATH = 1_000;

/** One step of a patch, with names as the schema has them. */
export interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly path: AttributePath;
  /** What stood in brackets after the attribute, if anything. */
  readonly filter: string | undefined;
  readonly value: unknown;
}

/**
 * Reads the operations of a patch. One without a path is several with one: the names in its value.
 * Names that are not known are passed over there, as in a whole resource; as a path they are refused.
 */
export function readPatch(kind: ScimKind, body: Json): Operation[] {
  const key = keyOf(body, "Operations");
  const given = key === undefined ? undefined : body[key];
  if (!Array.isArray(given) || given.length === 0)
    throw badRequest("invalidSyntax", "Operations must be a list of at least one");
  if (given.length > MOST_OPERATIONS)
    throw badRequest("tooMany", `Operations must be at most ${MOST_OPERATIONS}`);
  return given.flatMap((one) => readOperation(kind, objectOf(one, "an operation")));
}

function readOperation(kind: ScimKind, given: Json): Operation[] {
  const { path, value } = given;
  const op = typeof given.op === "string" ? given.op.toLowerCase() : "";
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw badRequest("invalidSyntax", "op must be add, replace or remove");
  if (path !== undefined && path !== null && path !== "") return pathed(kind, op, path, value);
  if (op === "remove") throw badRequest("noTarget", "remove needs a path");
  return Object.entries(objectOf(value, "a value without a path")).flatMap(([name, one]) =>
    unpathed(kind, op, name, one),
  );
}

const PATH = /^(?<name>[^[\]]+)(?:\[(?<filter>.+)\](?:\.(?<part>[^[\].]+))?)?$/s;

/** What a path names: an attribute or a part of it, of all values or of some. */
function locate(kind: ScimKind, text: string): Pick<Operation, "path" | "filter"> | undefined {
  if (text.length > LONGEST_PATH) return undefined;
  const { name = "", filter, part } = PATH.exec(text)?.groups ?? {};
  const before = findPath(kind, name);
  const path = part === undefined ? before : findPath(kind, `${name}.${part}`);
  if (before === undefined || path === undefined) return undefined;
  const picksAmongOne = !before.attribute.multiValued || before.part !== undefined;
  return filter !== undefined && picksAmongOne ? undefined : { path, filter };
}

function isReadOnly({ attribute, part }: AttributePath): boolean {
  return attribute.mutability === "readOnly" || part?.mutability === "readOnly";
}

function pathed(kind: ScimKind, op: Operation["op"], text: unknown, value: unknown): Operation[] {
  if (typeof text !== "string") throw badRequest("invalidPath", "a path must be a text");
  if (isExtension(kind, text)) return wholeExtension(kind, op, value);
  const found = locate(kind, text);
  if (found === undefined) throw badRequest("invalidPath", "the path names no attribute");
  if (isReadOnly(found.path))
    throw badRequest("mutability", `${found.path.attribute.name} cannot be changed`);
  return [{ op, ...found, value }];
}

function unpathed(kind: ScimKind, op: Operation["op"], name: string, value: unknown): Operation[] {
  if (isExtension(kind, name)) return wholeExtension(kind, op, value);
  const found = locate(kind, name);
  return found === undefined || isReadOnly(found.path) ? [] : [{ op, ...found, value }];
}

function isExtension({ extension }: ScimKind, name: string): boolean {
  return extension !== undefined && name.toLowerCase() === extension.id.toLowerCase();
}

/** The attributes of an extension, one by one. */
function wholeExtension(kind: ScimKind, op: Operation["op"], value: unknown): Operation[] {
  const { id = "", attributes = [] } = kind.extension ?? {};
  const given: [string, unknown][] =
    op === "remove"
      ? attributes.map(({ name }) => [name, undefined])
      : Object.entries(objectOf(value, id));
  return given.flatMap(([name, one]) => unpathed(kind, op, `${id}:${name}`, one));
}

/** What a resource is after a patch, checked as if it had been sent whole. */
export function applyPatch(kind: ScimKind, before: Json, operations: readonly Operation[]): Json {
  const resource = structuredClone(before);
  for (const operation of operations) applyOne(resource, operation);
  return readResource(kind, resource);
}

function applyOne(resource: Json, operation: Operation): void {
  const { extension, attribute, part } = operation.path;
  const holder = extension === undefined ? resource : objectAt(resource, extension);
  if (part === undefined && operation.filter === undefined) setWhole(holder, operation);
  else if (attribute.multiValued) setWithin(holder, operation);
  else if (operation.op === "remove")
    delete (holder[attribute.name] as Json | undefined)?.[partOf(operation)];
  else setPart(objectAt(holder, attribute.name), operation);
}

function objectAt(holder: Json, name: string): Json {
  holder[name] ??= {};
  return holder[name] as Json;
}

function partOf({ path }: Operation): string {
  return path.part?.name ?? "";
}

/** An attribute as a whole: values are added to several, parts to what has parts. */
function setWhole(holder: Json, { op, path: { attribute }, value }: Operation): void {
  const { name, multiValued, type } = attribute;
  const read = readValue(attribute, value);
  if (multiValued && op !== "replace") {
    const all = (holder[name] as Json[] | undefined) ?? [];
    const given = (read as Json[] | undefined) ?? [];
    if (op === "add") {
      const known = new Set(all.map(contentOf));
      holder[name] = [...all, ...given.filter((one) => !known.has(contentOf(one)))];
    } else {
      // Without a value, all are removed.
      const goes = (one: Json) => given.some((parts) => hasParts(one, parts));
      holder[name] = value === undefined || value === null ? [] : all.filter((one) => !goes(one));
    }
  } else if (op === "remove" || (op === "replace" && read === undefined)) delete holder[name];
  // Adding nothing, or nothing that is known, changes nothing.
  else if (read === undefined) return;
  else if (type === "complex" && !multiValued) Object.assign(objectAt(holder, name), read);
  else holder[name] = read;
}

/** The same text for values that are the same. */
function contentOf(value: Json): string {
  return JSON.stringify(Object.entries(value).sort());
}

function hasParts(value: Json, parts: Json): boolean {
  return Object.entries(parts).every(([name, part]) => value[name] === part);
}

/** Some of the values of an attribute, or a part of them. */
function setWithin(holder: Json, operation: Operation): void {
  const { op, path, filter } = operation;
  const { name, subAttributes = [] } = path.attribute;
  const all = (holder[name] as Json[] | undefined) ?? [];
  const picked = filter === undefined ? undefined : parseValueFilter(subAttributes, filter);
  const chosen = picked === undefined ? all : all.filter((one) => picked.matches(one));
  if (op === "remove" && path.part === undefined) {
    holder[name] = all.filter((one) => !chosen.includes(one));
  } else if (op === "remove") {
    for (const one of chosen) delete one[partOf(operation)];
  } else if (chosen.length > 0) {
    for (const one of chosen) setPart(one, operation);
  } else {
    // What is described but not there is added, if the description is enough to make it.
    if (picked !== undefined && picked.asksFor === undefined)
      throw badRequest("noTarget", `no value of ${name} matches`);
    const made: Json = { ...picked?.asksFor };
    setPart(made, operation);
    holder[name] = [...all, made];
  }
}

/** A part of one value, or all that is given of it. */
function setPart(target: Json, { op, path, value }: Operation): void {
  const { attribute, part } = path;
  const read = readValue(part ?? { ...attribute, multiValued: false }, value);
  if (part === undefined) Object.assign(target, read ?? {});
  else if (read !== undefined) target[part.name] = read;
  else if (op === "replace") delete target[part.name];
}
