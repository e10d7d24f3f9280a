import { type Compare, type Filter, parse } from "scim2-parse-filter";
import type { ScimKey } from "../../store/tables/scim/resources.ts";
import { type Attribute, attributeNamed } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { type AttributePath, findPath, valuesAt } from "./path.ts";
import type { ScimKind } from "./schemas.ts";
import type { Json } from "./values.ts";

/** A compiled filter. */
export interface ScimFilter {
  matches(resource: Json): boolean;
  /** An index lookup that covers all matches, if there is one. */
  readonly indexLookup: { readonly key: ScimKey; readonly value: string } | undefined;
  /** Whether it tests memberships. */
  readonly usesRelation: boolean;
}

type Test = (value: Json) => boolean;

/** Resolves a path relative to what is filtered. */
type Scope = (path: string) => AttributePath | undefined;

/** A quoted string. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** Parses a filter such as `userName eq "a" and emails[type eq "work"]`. */
export function parseFilter(kind: ScimKind, text: string): ScimFilter {
  const tree = readTree(text);
  let usesRelation = false;
  const scope: Scope = (path) => {
    const found = findPath(kind, path);
    usesRelation ||= found?.attribute.name === kind.relation;
    return found;
  };
  const matches = compile(tree, scope);
  return { matches, indexLookup: indexLookupOf(kind, tree), usesRelation };
}

/** A value filter, which selects among the values of an attribute. */
export interface ValueFilter {
  matches(value: Json): boolean;
  /** The sub-attributes of matching values, if the filter consists of equalities only. */
  readonly equalities: Json | undefined;
  /** The accepted values of the sub-attribute `value`, if the filter tests nothing else. */
  readonly among: readonly string[] | undefined;
}

/** Parses a filter such as `type eq "work"` on sub-attributes. */
export function parseValueFilter(subAttributes: readonly Attribute[], text: string): ValueFilter {
  const tree = readTree(text);
  const matches = compile(tree, subAttributeScope(subAttributes));
  return { matches, equalities: equalities(tree, subAttributes), among: alternatives(tree) };
}

function equalities(tree: Filter, subAttributes: readonly Attribute[]): Json | undefined {
  const all = tree.op === "and" ? tree.filters : [tree];
  const pairs: [string, unknown][] = [];
  for (const one of all) {
    if (one.op !== "eq") return undefined;
    pairs.push([(attributeNamed(subAttributes, one.attrPath) as Attribute).name, one.compValue]);
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
 * The library parses the grammar, but does not support escapes in strings: they are replaced before
 * and restored after.
 */
function readTree(text: string): Filter {
  const texts: string[] = [];
  const numbered = text.replace(QUOTED, (quoted) => `"${texts.push(readText(quoted)) - 1}"`);
  // PostgreSQL cannot store NUL in text.
  if (texts.some((one) => one.includes("\0"))) {
    throw invalid("the filter must not contain NUL");
  }
  try {
    return restored(parse(numbered), texts);
  } catch {
    throw invalid("the filter is malformed");
  }
}

/** Keeps a backslash that is no escape: providers send names such as DOMAIN\user. */
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
  // The library accepts words that are not operators.
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
      const subAttributes = path.attribute.subAttributes;
      if (subAttributes === undefined || path.subAttribute !== undefined)
        throw invalid(`${tree.attrPath} has no sub-attributes`);
      const test = compile(tree.valFilter, subAttributeScope(subAttributes));
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
  if (found === undefined) throw invalid(`unknown attribute ${JSON.stringify(path)}`);
  return found;
}

/** Resolves the sub-attributes of a value filter. */
function subAttributeScope(subAttributes: readonly Attribute[]): Scope {
  return (path) => {
    const attribute = attributeNamed(subAttributes, path);
    return attribute && { extension: undefined, attribute, subAttribute: undefined };
  };
}

type Value = Compare["compValue"];

function comparison({ op, attrPath, compValue }: Compare, whole: AttributePath): Test {
  const path = withValue(whole, attrPath);
  const leaf = path.subAttribute ?? path.attribute;
  const test = comparing(op, leaf, compValue, attrPath);
  // `ne` also matches resources without the attribute.
  if (op === "ne") return (value) => !valuesAt(value, path).some(test);
  if (op === "eq" && compValue === null) return (value) => valuesAt(value, path).length === 0;
  return (value) => valuesAt(value, path).some(test);
}

/** A complex attribute is compared by its `value`. */
function withValue(path: AttributePath, text: string): AttributePath {
  if (path.subAttribute !== undefined || path.attribute.type !== "complex") return path;
  const subAttribute = attributeNamed(path.attribute.subAttributes ?? [], "value");
  if (subAttribute === undefined) throw invalid(`${text} cannot be compared: name a sub-attribute`);
  return { ...path, subAttribute };
}

/** The test of one value; `ne` uses the test of `eq`. */
function comparing(
  op: Compare["op"],
  { type, caseExact }: Attribute,
  operand: Value,
  path: string,
): (value: unknown) => boolean {
  if (type === "boolean") {
    const flag = typeof operand === "string" ? operand.toLowerCase() === "true" : operand;
    if (op === "eq" || op === "ne") return (value) => value === flag;
    throw invalid(`${path} is true or false and cannot be compared by ${op}`);
  }
  if (type === "dateTime" && operand !== null) {
    const time = Date.parse(String(operand));
    if (Number.isNaN(time)) throw invalid(`${path} is compared with a time`);
    return (value) => ordered(op, Date.parse(value as string), time) ?? false;
  }
  if (typeof operand !== "string") return () => false;
  const form = (text: string) => (caseExact ? text : text.toLowerCase());
  const text = form(operand);
  return (value) => compareTexts(op, form(value as string), text);
}

function compareTexts(op: Compare["op"], value: string, operand: string): boolean {
  if (op === "co") return value.includes(operand);
  if (op === "sw") return value.startsWith(operand);
  if (op === "ew") return value.endsWith(operand);
  return ordered(op, value, operand) ?? false;
}

function ordered<T extends string | number>(op: string, value: T, operand: T): boolean | undefined {
  switch (op) {
    case "eq":
    case "ne":
      return value === operand;
    case "gt":
      return value > operand;
    case "ge":
      return value >= operand;
    case "lt":
      return value < operand;
    case "le":
      return value <= operand;
    default:
      return undefined;
  }
}

/** An equality that every match satisfies and that an index covers. */
function indexLookupOf(kind: ScimKind, tree: Filter): ScimFilter["indexLookup"] {
  if (tree.op === "and") {
    for (const one of tree.filters) {
      const found = indexLookupOf(kind, one);
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
