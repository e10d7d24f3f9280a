import { create } from "@bufbuild/protobuf";
import { type EventFilter, EventFilterSchema } from "@wharf/contract";
import type { FieldViolation } from "../lib/errors.ts";
import { ATTRIBUTE_NAMES } from "./cloud-event.ts";

/** The nesting and the number of filters of one subscription. */
const MAX_DEPTH = 8;
const MAX_FILTERS = 200;

/** Reads an attribute: its value, or undefined if it is not known. An attribute that is not there is empty. */
export type ReadAttribute = (name: string) => string | undefined;

/**
 * Whether an event matches all filters. Undefined if that depends on attributes that are not known: so the same rules
 * tell which types of events a filter can match at all.
 */
export function matches(
  filters: readonly EventFilter[],
  attribute: ReadAttribute,
): boolean | undefined {
  return every(filters, (filter) => evaluate(filter, attribute));
}

/** Truth value of three-valued logic; undefined is unknown. */
type Ternary = boolean | undefined;

function evaluate(filter: EventFilter, attribute: ReadAttribute): Ternary {
  const { exact, prefix, suffix, glob, all, any, not } = filter;
  const each = (
    map: Readonly<Record<string, string>>,
    test: (value: string, operand: string) => boolean,
  ) =>
    every(Object.entries(map), ([name, operand]) => {
      const value = attribute(name);
      return value === undefined ? undefined : value !== "" && test(value, operand);
    });
  return every(
    [
      () => each(exact, (value, operand) => value === operand),
      () => each(prefix, (value, operand) => value.startsWith(operand)),
      () => each(suffix, (value, operand) => value.endsWith(operand)),
      () => each(glob, matchesGlob),
      () => every(all, (one) => evaluate(one, attribute)),
      () => any.length === 0 || some(any, (one) => evaluate(one, attribute)),
      () => not === undefined || negated(evaluate(not, attribute)),
    ],
    (check) => check(),
  );
}

/** Conjunction in three-valued logic: false decides; otherwise an unknown value leaves the result unknown. */
function every<T>(items: readonly T[], test: (item: T) => Ternary): Ternary {
  let result: Ternary = true;
  for (const item of items) {
    const one = test(item);
    if (one === false) return false;
    if (one === undefined) result = undefined;
  }
  return result;
}

function some<T>(items: readonly T[], test: (item: T) => Ternary): Ternary {
  return negated(every(items, (item) => negated(test(item))));
}

function negated(value: Ternary): Ternary {
  return value === undefined ? undefined : !value;
}

/** Whether a text matches a pattern in which `*` stands for any text. Takes linear time for each star. */
export function matchesGlob(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of rest) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** A filter that matches one of these types, as patterns with or without the prefix; none without patterns. */
export function typesFilter(patterns: readonly string[]): EventFilter[] {
  if (patterns.length === 0) return [];
  const any = patterns.flatMap((type) => [{ glob: { type } }, { glob: { type: `*.${type}` } }]);
  return [create(EventFilterSchema, { any })];
}

const DIALECTS = ["exact", "prefix", "suffix", "glob", "all", "any", "not"] as const;

/** Violations of filters, by field. */
export function filterViolations(
  filters: readonly EventFilter[],
  field = "filters",
): FieldViolation[] {
  const found: FieldViolation[] = [];
  let count = 0;
  const check = (filter: EventFilter, at: string, depth: number) => {
    count += 1;
    const used = DIALECTS.filter((dialect) => isUsed(filter, dialect));
    if (used.length !== 1) {
      const description = `must have exactly one of ${DIALECTS.join(", ")}`;
      found.push({ field: at, description });
    }
    if (depth > MAX_DEPTH) {
      found.push({ field: at, description: `filters must be nested at most ${MAX_DEPTH} deep` });
      return;
    }
    for (const dialect of ["exact", "prefix", "suffix", "glob"] as const) {
      for (const [name, value] of Object.entries(filter[dialect])) {
        if (!ATTRIBUTE_NAMES.has(name)) {
          const names = [...ATTRIBUTE_NAMES].join(", ");
          found.push({
            field: `${at}.${dialect}`,
            description: `${name} is not an attribute: use ${names}`,
          });
        }
        if (value === "")
          found.push({ field: `${at}.${dialect}.${name}`, description: "must not be empty" });
      }
    }
    for (const [index, one] of filter.all.entries()) check(one, `${at}.all[${index}]`, depth + 1);
    for (const [index, one] of filter.any.entries()) check(one, `${at}.any[${index}]`, depth + 1);
    if (filter.not !== undefined) check(filter.not, `${at}.not`, depth + 1);
  };
  for (const [index, filter] of filters.entries()) check(filter, `${field}[${index}]`, 1);
  if (count > MAX_FILTERS) {
    found.push({
      field,
      description: `there must be at most ${MAX_FILTERS} filters, nested ones included`,
    });
  }
  return found;
}

function isUsed(filter: EventFilter, dialect: (typeof DIALECTS)[number]): boolean {
  const value = filter[dialect];
  return value !== undefined && (dialect === "not" || Object.keys(value).length > 0);
}
