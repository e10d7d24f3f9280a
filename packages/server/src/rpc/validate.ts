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

/** Finds what is wrong with a message and adds it to the list. */
type Check = (message: Message, path: string, found: FieldViolation[]) => void;

const checks = new WeakMap<DescMessage, Check>();

/**
 * Refuses a message whose fields break the rules that the contract has for them, naming every one
 * of them. Fields that only the service sets are not looked at.
 *
 * @example validate(GroupSchema, group);
 */
export function validate(schema: DescMessage, message: Message): void {
  const found: FieldViolation[] = [];
  checkOf(schema)(message, "", found);
  if (found.length > 0) throw invalidArgument(...found);
}

/**
 * Refuses a request whose own fields break their rules, leaving what is nested to whoever knows
 * which parts of it count.
 *
 * @example validateRequest(GetGroupRequestSchema, request);
 */
export function validateRequest(schema: DescMessage, request: Message): void {
  const found: FieldViolation[] = [];
  shallowCheckOf(schema)(request, "", found);
  if (found.length > 0) throw invalidArgument(...found);
}

/**
 * What in a message made elsewhere is beyond the contract's limits. Every field counts, whoever sets
 * it otherwise, and none must be there.
 *
 * @example const problems = beyondLimits(AdvisoryDocumentSchema, document);
 */
export function beyondLimits(schema: DescMessage, message: Message): FieldViolation[] {
  const found: FieldViolation[] = [];
  foreignCheckOf(schema)(message, "", found);
  return found;
}

/**
 * Refuses what is no uid, where no rule of the contract does: in updates, whose resource is looked at
 * later, and in filters.
 *
 * @example mustBeUid("uid", group.uid);
 */
export function mustBeUid(field: string, value: string): void {
  if (isUid(value)) return;
  const name = field.slice(field.lastIndexOf(".") + 1);
  throw invalidArgument({ field, description: value === "" ? missing(name) : notUid(name) });
}

function missing(name: string): string {
  return `${name} is required`;
}

function notUid(name: string): string {
  return `${name} must be a uid`;
}

/** No text that people or programs name things with is longer; where it is, its rule says so. */
const LONGEST_TEXT = 4_096;

/** The same for maps. */
const MOST_ENTRIES = 100;

const shallowChecks = new WeakMap<DescMessage, Check>();

function shallowCheckOf(schema: DescMessage): Check {
  return remembered(shallowChecks, schema, () => compile(schema, undefined));
}

function checkOf(schema: DescMessage): Check {
  return remembered(checks, schema, () => compile(schema, checkOf));
}

const foreignChecks = new WeakMap<DescMessage, Check>();

function foreignCheckOf(schema: DescMessage): Check {
  return remembered(foreignChecks, schema, () => {
    return together(
      schema.fields.flatMap((field) => [
        ...ownChecks(field, false),
        ...nestedChecks(field, foreignCheckOf),
      ]),
    );
  });
}

function remembered(
  known: WeakMap<DescMessage, Check>,
  schema: DescMessage,
  make: () => Check,
): Check {
  let check = known.get(schema);
  if (check === undefined) {
    check = make();
    known.set(schema, check);
  }
  return check;
}

function compile(schema: DescMessage, nested: ((schema: DescMessage) => Check) | undefined): Check {
  const counting = schema.fields.filter((field) => !fieldBehavior(field).outputOnly);
  return together(
    counting.flatMap((field) => [
      ...ownChecks(field, isRequired(field, nested !== undefined)),
      ...(nested === undefined ? [] : nestedChecks(field, nested)),
    ]),
  );
}

function together(parts: readonly Check[]): Check {
  return (message, path, found) => {
    for (const part of parts) part(message, path, found);
  };
}

function isRequired(field: DescField, ofResource: boolean): boolean {
  const behavior = fieldBehavior(field);
  // What a resource does not keep cannot be asked for at its update: its definition checks it when
  // it is made.
  return behavior.required && !(ofResource && behavior.inputOnly);
}

function ownChecks(field: DescField, required: boolean): Check[] {
  return [...ruleChecks(field, required), ...timeChecks(field)];
}

/** Times and durations must be in the range that protobuf gives them, wherever they are. */
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
        const place = isOne ? at : `${at}[${key}]`;
        if (description !== undefined)
          found.push({ field: path + place, description: `${at} ${description}` });
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

function isSwitch(field: DescField): boolean {
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
  const longest = (field.fieldKind === "scalar" && rules?.maxSize) || LONGEST_TEXT;
  const text = (value: string): string | undefined => {
    if (pattern !== undefined && !pattern.test(value))
      return `${name} must match "${rules?.pattern}"`;
    if (rules?.uid && !isUid(value)) return notUid(name);
    if (value.length > longest) return `${name} must have at most ${longest} characters`;
    // Not every database can keep it.
    return value.includes("\0") ? `${name} must not hold the character NUL` : undefined;
  };
  const most =
    rules?.maxSize || (field.fieldKind === "map" ? MOST_ENTRIES : Number.POSITIVE_INFINITY);
  const size = (count: number): string | undefined => {
    if (count < (rules?.minSize ?? 0))
      return `${name} must have at least ${rules?.minSize} entries`;
    return count > most ? `${name} must have at most ${most} entries` : undefined;
  };
  return (message) => {
    if (!isFieldSet(message, field) && field.fieldKind !== "list" && field.fieldKind !== "map") {
      // A switch that is off looks like one that was left out.
      if (!required || isSwitch(field)) return undefined;
      return pattern === undefined ? missing(name) : text("");
    }
    const value = fieldValue(message, field);
    if (typeof value === "string") return text(value);
    if (value instanceof Uint8Array) return size(value.length);
    if (typeof value !== "object" || field.fieldKind === "message") return undefined;
    const entries = Object.values(value as object);
    if (field.fieldKind === "map") entries.push(...Object.keys(value as object));
    if (required && entries.length === 0) return missing(name);
    const bad = entries.map((entry) => (typeof entry === "string" ? text(entry) : undefined));
    return bad.find(Boolean) ?? size(Object.keys(value as object).length);
  };
}
