import { type Compare, type Filter, parse } from "scim2-parse-filter";
import type { ScimKey } from "../../store/tables/scim-resources.ts";
import { type Attribute, attributeNamed } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { type AttributePath, findPath, valuesAt } from "./path.ts";
import type { ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** A filter of a list, made ready. */
export interface ScimFilter {
  matches(resource: Json): boolean;
  /** A value that everything it matches has under a key, where there is one. */
  readonly narrowedTo: { readonly key: ScimKey; readonly value: string } | undefined;
  /** Whether it looks at who belongs to whom. */
  readonly asksForRelation: boolean;
}

type Test = (value: Json) => boolean;

/** Finds what a path names within whatever is being filtered. */
type Scope = (path: string) => AttributePath | undefined;

/** A text in quotes, as JSON has it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Reads a filter such as `userName eq "a" and emails[type eq "work"]`. */
export function parseFilter(kind: ScimKind, text: string): ScimFilter {
  const tree = readTree(text);
  let asksForRelation = false;
  const scope: Scope = (path) => {
    const found = findPath(kind, path);
    asksForRelation ||= found?.attribute.name === kind.relation;
    return found;
  };
  const matches = compile(tree, scope);
  return { matches, narrowedTo: narrowing(kind, tree), asksForRelation };
}

/** A filter in brackets, which picks among the values of one attribute. */
export interface ValueFilter {
  matches(value: Json): boolean;
  /** The parts that a value must have to match, where it asks for nothing but their being equal. */
  readonly asksFor: Json | undefined;
  /** The values that the part `value` may have, where it asks for nothing but that. */
  readonly among: readonly string[] | undefined;
}

/** Reads a filter such as `type eq "work"` on the parts of an attribute. */
export function parseValueFilter(parts: readonly Attribute[], text: string): ValueFilter {
  const tree = readTree(text);
  const matches = compile(tree, within(parts));
  return { matches, asksFor: equalities(tree, parts), among: alternatives(tree) };
}

function equalities(tree: Filter, parts: readonly Attribute[]): Json | undefined {
  const all = tree.op === "and" ? tree.filters : [tree];
  const pairs: [string, unknown][] = [];
  for (const one of all) {
    if (one.op !== "eq") return undefined;
    pairs.push([(attributeNamed(parts, one.attrPath) as Attribute).name, one.compValue]);
  }
  return Object.fromEntries(pairs);
}

function alternatives(tree: Filter): string[] | undefined {
  const all = tree.op === "or" ? tree.filters : [tree];
  const values = all.map((one) =>
    one.op === "eq" && one.attrPath.toLowerCase() === "value" ? one.compValue : undefined,
  );
  return values.every((value) => typeof value === "string") ? (values as string[]) : undefined;
}

/**
 * The library reads the grammar. Texts are read here and put back after, because it does not know
 * their escapes.
 */
function readTree(text: string): Filter {
  const texts: string[] = [];
  const numbered = text.replace(QUOTED, (quoted) => `"${texts.push(readText(quoted)) - 1}"`);
  // PostgreSQL has no texts with it.
  if (texts.some((one) => one.includes("\0"))) {
    throw invalid("the filter must not hold the character NUL");
  }
  try {
    return restored(parse(numbered), texts);
  } catch {
    throw invalid("the filter cannot be read");
  }
}

/** A backslash that escapes nothing is a backslash: names of the form DOMAIN\user come so. */
function readText(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

const OPERATORS: ReadonlySet<string> = new Set(
  "and or not [] pr eq ne co sw ew gt ge lt le".split(" "),
);

function restored(tree: Filter, texts: readonly string[]): Filter {
  // The library takes some words for operators that are none.
  if (!OPERATORS.has(tree.op)) throw new Error(`${tree.op} is not an operator`);
  if ("filters" in tree)
    return { ...tree, filters: tree.filters.map((one) => restored(one, texts)) };
  if ("filter" in tree) return { ...tree, filter: restored(tree.filter, texts) };
  if ("valFilter" in tree) return { ...tree, valFilter: restored(tree.valFilter, texts) };
  if (!("compValue" in tree) || typeof tree.compValue !== "string") return tree;
  return { ...tree, compValue: texts[Number(tree.compValue)] as string };
}

function compile(tree: Filter, scope: Scope): Test {
  switch (tree.op) {
    case "and":
    case "or": {
      const tests = tree.filters.map((one) => compile(one, scope));
      return tree.op === "and"
        ? (value) => tests.every((test) => test(value))
        : (value) => tests.some((test) => test(value));
    }
    case "not": {
      const test = compile(tree.filter, scope);
      return (value) => !test(value);
    }
    case "[]": {
      const path = named(scope, tree.attrPath);
      const parts = path.attribute.subAttributes;
      if (parts === undefined || path.part !== undefined)
        throw invalid(`${tree.attrPath} has no parts`);
      const test = compile(tree.valFilter, within(parts));
      return (value) => valuesAt(value, path).some((one) => test(one as Json));
    }
    case "pr": {
      const path = named(scope, tree.attrPath);
      return (value) => valuesAt(value, path).length > 0;
    }
    default:
      return comparison(tree, named(scope, tree.attrPath));
  }
}

function named(scope: Scope, path: string): AttributePath {
  const found = scope(path);
  if (found === undefined) throw invalid(`there is no attribute ${JSON.stringify(path)}`);
  return found;
}

/** Names in brackets are those of the attribute's parts. */
function within(parts: readonly Attribute[]): Scope {
  return (path) => {
    const attribute = attributeNamed(parts, path);
    return attribute && { extension: undefined, attribute, part: undefined };
  };
}

type Value = Compare["compValue"];

function comparison({ op, attrPath, compValue }: Compare, whole: AttributePath): Test {
  const path = withValue(whole, attrPath);
  const leaf = path.part ?? path.attribute;
  const test = comparing(op, leaf, compValue, attrPath);
  // A resource that has no such value does not have this one either.
  if (op === "ne") return (value) => !valuesAt(value, path).some(test);
  if (op === "eq" && compValue === null) return (value) => valuesAt(value, path).length === 0;
  return (value) => valuesAt(value, path).some(test);
}

/** An attribute with parts is compared by its value. */
function withValue(path: AttributePath, text: string): AttributePath {
  if (path.part !== undefined || path.attribute.type !== "complex") return path;
  const part = attributeNamed(path.attribute.subAttributes ?? [], "value");
  if (part === undefined) throw invalid(`${text} cannot be compared as a whole`);
  return { ...path, part };
}

/** The test of one value. That of `ne` is the one of `eq`. */
function comparing(
  op: Compare["op"],
  { type, caseExact }: Attribute,
  wanted: Value,
  path: string,
): (value: unknown) => boolean {
  if (type === "boolean") {
    const flag = typeof wanted === "string" ? wanted.toLowerCase() === "true" : wanted;
    if (op === "eq" || op === "ne") return (value) => value === flag;
    throw invalid(`${path} is true or false and cannot be compared by ${op}`);
  }
  if (type === "dateTime" && wanted !== null) {
    const time = Date.parse(String(wanted));
    if (Number.isNaN(time)) throw invalid(`${path} is compared with a time`);
    return (value) => ordered(op, Date.parse(value as string), time) ?? false;
  }
  if (typeof wanted !== "string") return () => false;
  const form = (text: string) => (caseExact ? text : text.toLowerCase());
  const text = form(wanted);
  return (value) => compareTexts(op, form(value as string), text);
}

function compareTexts(op: Compare["op"], value: string, wanted: string): boolean {
  if (op === "co") return value.includes(wanted);
  if (op === "sw") return value.startsWith(wanted);
  if (op === "ew") return value.endsWith(wanted);
  return ordered(op, value, wanted) ?? false;
}

function ordered<T extends string | number>(op: string, value: T, wanted: T): boolean | undefined {
  switch (op) {
    case "eq":
    case "ne":
      return value === wanted;
    case "gt":
      return value > wanted;
    case "ge":
      return value >= wanted;
    case "lt":
      return value < wanted;
    case "le":
      return value <= wanted;
    default:
      return undefined;
  }
}

/** What must be equal for the whole to hold, if it is something that rows are found by. */
function narrowing(kind: ScimKind, tree: Filter): ScimFilter["narrowedTo"] {
  if (tree.op === "and") {
    for (const one of tree.filters) {
      const found = narrowing(kind, one);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (tree.op !== "eq" || typeof tree.compValue !== "string") return undefined;
  const path = findPath(kind, tree.attrPath);
  if (path === undefined || path.extension !== undefined) return undefined;
  const { name } = path.attribute;
  if (name === "id") return { key: "resource", value: tree.compValue };
  if (name === "externalId") return { key: "external_id", value: tree.compValue };
  if (name !== kind.nameAttribute) return undefined;
  return { key: "name", value: tree.compValue.toLowerCase() };
}

function invalid(text: string): Error {
  return badRequest("invalidFilter", text);
}
