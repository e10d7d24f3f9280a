import { hash } from "node:crypto";
import { clearField, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { fieldValue } from "../rpc/fields.ts";

/** Raised when the way that resources are written as JSON changes for another reason than their shape. */
const WRITER_VERSION = 1;

/**
 * A number that changes whenever the shape of a message does, nested messages included.
 *
 * @example shapeNumber(GroupSchema) // 2034839021
 */
export function shapeNumber(schema: DescMessage): number {
  const seen = new Set<string>();
  const describe = (message: DescMessage): string => {
    if (seen.has(message.typeName)) return message.typeName;
    seen.add(message.typeName);
    const fields = message.fields.map((field) => {
      const inner = field.message ? describe(field.message) : "";
      const values = field.enum ? field.enum.values.map((value) => value.name).join() : "";
      return `${field.number}:${field.jsonName}:${field.fieldKind}:${inner}${values}`;
    });
    return `${message.typeName}{${fields.join(";")}}`;
  };
  const digest = hash("sha256", `${WRITER_VERSION} ${describe(schema)}`, "buffer");
  return digest.readUInt32BE();
}

/**
 * Clears, at any depth, the fields that a test picks.
 *
 * @example clearHidden(GroupSchema, group, (field) => fieldBehavior(field).outputOnly);
 */
export function clearHidden(
  schema: DescMessage,
  message: Message,
  hides: (field: DescField) => boolean,
): void {
  for (const field of fieldsWith(schema, hides)) {
    if (hides(field)) {
      clearField(message, field);
      continue;
    }
    const value = fieldValue(message, field);
    if (value === undefined || field.message === undefined) continue;
    const inside = field.fieldKind === "message" ? [value] : Object.values(value as object);
    for (const one of inside) clearHidden(field.message, one as Message, hides);
  }
}

function fieldsWith(schema: DescMessage, hides: (field: DescField) => boolean): DescField[] {
  const isOurs = (field: DescField) => !field.message?.file.name.startsWith("google/protobuf/");
  return schema.fields.filter(
    (field) => hides(field) || (field.message !== undefined && isOurs(field)),
  );
}
