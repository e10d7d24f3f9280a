import {
  type DescField,
  type DescMessage,
  isFieldSet,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { fieldBehavior, isUid, type Rules, rulesOf } from "@wharf/contract";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";
import { fieldValue } from "./fields.ts";
import { timeProblem } from "./time-range.ts";

/** Appends the violations of a message to the list. */
type Check = (message: Message, path: string, found: FieldViolation[]) => void;

const checks = new WeakMap<DescMessage, Check>();

/**
 * Validates a message against the rules of the contract, nested messages included. Throws INVALID_ARGUMENT with all
 * violations. Output-only fields are skipped.
 */
export function validate(schema: DescMessage, message: Message): void {
  const found: FieldViolation[] = [];
  checkOf(schema)(message, "", found);
  if (found.length > 0) throw invalidArgument(...found);
}

/** Validates the fields of a request, but no nested messages: which of their fields count depends on the method. */
export function validateRequest(schema: DescMessage, request: Message): void {
  const found: FieldViolation[] = [];
  shallowCheckOf(schema)(request, "", found);
  if (found.length > 0) throw invalidArgument(...found);
}

/** The violations of an imported message. All fields are checked, output-only ones included; none is required. */
export function violationsOfImported(schema: DescMessage, message: Message): FieldViolation[] {
  const found: FieldViolation[] = [];
  foreignCheckOf(schema)(message, "", found);
  return found;
}

/** Requires a UID in a field that has no rule in the contract: in filters, and in updates before validation. */
export function mustBeUid(field: string, value: string): void {
  if (isUid(value)) return;
  const name = field.slice(field.lastIndexOf(".") + 1);
  throw invalidArgument({ field, description: value === "" ? missing(name) : notUid(name) });
}

function missing(name: string): string {
  return `${name} is required`;
}

function notUid(name: string): string {
  return `${name} must be a UID: 40 hexadecimal characters, or a path of IDs`;
}

/** The default limits of strings and maps; `max_size` in the contract overrides them. */
const MAX_TEXT_LENGTH = 4_096;

const MAX_MAP_ENTRIES = 100;

/** The maximum of entries of a list or map, or of bytes of a field of bytes. */
export function maxEntriesOf(field: DescField): number {
  const fallback = field.fieldKind === "map" ? MAX_MAP_ENTRIES : Number.POSITIVE_INFINITY;
  return rulesOf(field)?.maxSize || fallback;
}

export function tooManyEntries({ jsonName }: DescField, max: number): string {
  return `${jsonName} must have at most ${max} entries`;
}

const shallowChecks = new WeakMap<DescMessage, Check>();

function shallowCheckOf(schema: DescMessage): Check {
  return cached(shallowChecks, schema, () => compile(schema, undefined));
}

function checkOf(schema: DescMessage): Check {
  return cached(checks, schema, () => compile(schema, checkOf));
}

const foreignChecks = new WeakMap<DescMessage, Check>();

function foreignCheckOf(schema: DescMessage): Check {
  return cached(foreignChecks, schema, () => {
    return all(
      schema.fields.flatMap((field) => [
        ...ownChecks(field, false),
        ...nestedChecks(field, foreignCheckOf),
      ]),
    );
  });
}

function cached(cache: WeakMap<DescMessage, Check>, schema: DescMessage, make: () => Check): Check {
  let check = cache.get(schema);
  if (check === undefined) {
    check = make();
    cache.set(schema, check);
  }
  return check;
}

function compile(schema: DescMessage, nested: ((schema: DescMessage) => Check) | undefined): Check {
  const input = schema.fields.filter((field) => !fieldBehavior(field).outputOnly);
  return all(
    input.flatMap((field) => [
      ...ownChecks(field, isRequired(field, nested !== undefined)),
      ...(nested === undefined ? [] : nestedChecks(field, nested)),
    ]),
  );
}

function all(checks: readonly Check[]): Check {
  return (message, path, found) => {
    for (const check of checks) check(message, path, found);
  };
}

function isRequired(field: DescField, ofResource: boolean): boolean {
  const behavior = fieldBehavior(field);
  // Input-only fields are not stored, so an update cannot require them; definitions check them on create.
  return behavior.required && !(ofResource && behavior.inputOnly);
}

function ownChecks(field: DescField, required: boolean): Check[] {
  return [...ruleChecks(field, required), ...timeChecks(field)];
}

function timeChecks(field: DescField): Check[] {
  const problem = timeProblem(field);
  if (problem === undefined) return [];
  const at = field.jsonName;
  return [
    (message, path, found) => {
      const value = fieldValue(message, field);
      if (value === undefined) return;
      const isOne = field.fieldKind === "message";
      for (const [key, one] of Object.entries(isOne ? { [at]: value } : (value as object))) {
        const description = problem(one);
        const name = isOne ? at : `${at}[${key}]`;
        if (description !== undefined)
          found.push({ field: path + name, description: `${at} ${description}` });
      }
    },
  ];
}

function ruleChecks(field: DescField, required: boolean): Check[] {
  const rules = rulesOf(field);
  if (!required && rules === undefined && !isText(field) && field.fieldKind !== "map") return [];
  const problem = problemFinder(field, required, rules);
  return [
    (message, path, found) => {
      const description = problem(message);
      if (description !== undefined) found.push({ field: path + field.jsonName, description });
    },
  ];
}

function isText(field: DescField): boolean {
  return "scalar" in field && field.scalar === ScalarType.STRING;
}

function isBoolean(field: DescField): boolean {
  return "scalar" in field && field.scalar === ScalarType.BOOL;
}

function nestedChecks(field: DescField, checkOf: (schema: DescMessage) => Check): Check[] {
  const { message: inner } = field;
  if (inner === undefined || inner.file.name.startsWith("google/protobuf/")) return [];
  return [
    (message, path, found) => {
      const value = fieldValue(message, field);
      if (value === undefined) return;
      const at = path + field.jsonName;
      if (field.fieldKind === "message") checkOf(inner)(value as Message, `${at}.`, found);
      else {
        for (const [key, entry] of Object.entries(value as object)) {
          checkOf(inner)(entry, `${at}[${key}].`, found);
        }
      }
    },
  ];
}

function problemFinder(
  field: DescField,
  required: boolean,
  rules: Rules | undefined,
): (message: Message) => string | undefined {
  const name = field.jsonName;
  const pattern = rules?.pattern ? new RegExp(rules.pattern, "u") : undefined;
  const maxLength = (field.fieldKind === "scalar" && rules?.maxSize) || MAX_TEXT_LENGTH;
  const text = (value: string): string | undefined => {
    if (pattern !== undefined && !pattern.test(value))
      return `${name} must match "${rules?.pattern}"`;
    if (rules?.uid && !isUid(value)) return notUid(name);
    if (value.length > maxLength) return `${name} must have at most ${maxLength} characters`;
    // PostgreSQL cannot store NUL.
    return value.includes("\0") ? `${name} must not contain the character NUL` : undefined;
  };
  const maxSize = maxEntriesOf(field);
  const size = (count: number): string | undefined => {
    if (count < (rules?.minSize ?? 0))
      return `${name} must have at least ${rules?.minSize} entries`;
    return count > maxSize ? tooManyEntries(field, maxSize) : undefined;
  };
  return (message) => {
    if (!isFieldSet(message, field) && field.fieldKind !== "list" && field.fieldKind !== "map") {
      // False and unset are the same on the wire.
      if (!required || isBoolean(field)) return undefined;
      return pattern === undefined ? missing(name) : text("");
    }
    const value = fieldValue(message, field);
    if (typeof value === "string") return text(value);
    if (value instanceof Uint8Array) return size(value.length);
    if (typeof value !== "object" || field.fieldKind === "message") return undefined;
    const entries = Object.values(value as object);
    if (field.fieldKind === "map") entries.push(...Object.keys(value as object));
    if (required && entries.length === 0) return missing(name);
    const problems = entries.map((entry) => (typeof entry === "string" ? text(entry) : undefined));
    return problems.find(Boolean) ?? size(Object.keys(value as object).length);
  };
}
