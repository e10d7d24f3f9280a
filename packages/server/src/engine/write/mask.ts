import {
  clearField,
  create,
  type DescField,
  type DescMessage,
  equals,
  isFieldSet,
  type Message,
} from "@bufbuild/protobuf";
import { fieldBehavior } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import { fieldValue, setField } from "../../rpc/fields.ts";
import { fieldNamed } from "../../rpc/json-read.ts";

/** Path of an update mask: the fields from the resource down to the updated one. */
export type MaskPath = readonly DescField[];

/** The mask that replaces every field that callers can set. */
const EVERYTHING = "*";

/**
 * Parses an update mask. Without paths, it covers the fields that are set in the given resource. Paths
 * of output-only fields are accepted and have no effect (AIP-134).
 */
export function readMask(
  schema: DescMessage,
  paths: readonly string[],
  resource: Message,
): MaskPath[] {
  if (paths.length === 0) return populated(schema, resource, []);
  if (paths.includes(EVERYTHING)) {
    if (paths.length > 1) throw badMask(`"*" must be the only path`);
    return settable(schema).map((field) => [field]);
  }
  return paths.map((path) => readPath(schema, path)).filter((path) => path.every(isSettable));
}

/** Copies the fields of a mask from source to target; fields that the source does not set are cleared. */
export function applyMask(target: Message, source: Message, mask: readonly MaskPath[]): void {
  for (const path of mask) applyPath(target, source, path);
}

/** Rejects changes of immutable fields that are set. */
export function rejectImmutableChanges(
  schema: DescMessage,
  before: Message,
  after: Message,
  prefix = "",
): void {
  for (const field of schema.fields) {
    const path = prefix + field.jsonName;
    const [old, now] = [fieldValue(before, field), fieldValue(after, field)];
    if (fieldBehavior(field).immutable && isFieldSet(before, field) && old !== now) {
      throw invalidArgument({ field: path, description: `${field.jsonName} cannot be changed` });
    }
    if (field.fieldKind === "message" && old !== undefined && now !== undefined) {
      if (!equals(field.message, old as Message, now as Message)) {
        rejectImmutableChanges(field.message, old as Message, now as Message, `${path}.`);
      }
    }
  }
}

function applyPath(target: Message, source: Message | undefined, [field, ...rest]: MaskPath): void {
  if (field === undefined) return;
  const value = source === undefined ? undefined : fieldValue(source, field);
  if (rest.length > 0) {
    const inner = (value as Message | undefined) ?? undefined;
    let child = fieldValue(target, field) as Message | undefined;
    if (child === undefined) {
      if (inner === undefined) return;
      child = create(field.message as DescMessage);
      setField(target, field, child);
    }
    applyPath(child, inner, rest);
  } else if (source === undefined || !isFieldSet(source, field)) {
    clearField(target, field);
  } else {
    setField(target, field, value);
  }
}

function readPath(schema: DescMessage, path: string): MaskPath {
  const fields: DescField[] = [];
  let inside: DescMessage | undefined = schema;
  for (const name of path.split(".")) {
    const field: DescField | undefined = inside && fieldNamed(inside, name);
    if (field === undefined)
      throw badMask(`${JSON.stringify(path)} is not a field of ${schema.name}`);
    fields.push(field);
    inside = field.fieldKind === "message" && !isWellKnown(field) ? field.message : undefined;
  }
  return fields;
}

function populated(schema: DescMessage, message: Message, above: MaskPath): MaskPath[] {
  return settable(schema)
    .filter((field) => isFieldSet(message, field))
    .flatMap((field) => {
      const path = [...above, field];
      if (field.fieldKind !== "message" || isWellKnown(field)) return [path];
      const inside = populated(field.message, fieldValue(message, field) as Message, path);
      return inside.length > 0 ? inside : [path];
    });
}

function settable(schema: DescMessage): DescField[] {
  return schema.fields.filter(isSettable);
}

function isSettable(field: DescField): boolean {
  return !fieldBehavior(field).outputOnly;
}

function isWellKnown(field: DescField): boolean {
  return field.message?.file.name.startsWith("google/protobuf/") ?? false;
}

function badMask(description: string): Error {
  return invalidArgument({ field: "updateMask", description });
}
