/**
 * Messages as the JSON that callers see, and back.
 *
 * Proto3 JSON with two habits of ours: fields without presence are always written, so that a client
 * need not know defaults, and every timestamp has exactly three fraction digits.
 */
import type { DescField, DescMessage, JsonValue, MessageShape } from "@bufbuild/protobuf";
import { toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";

export { messageFromJson } from "./json-read.ts";

/**
 * Writes a message as JSON text.
 *
 * @example messageToJson(GroupSchema, group) // {"uid":"…","createTime":"2026-01-01T00:00:00.000Z",…}
 */
export function messageToJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  return JSON.stringify(withMilliseconds(schema, json));
}

function withMilliseconds(schema: DescMessage, json: JsonValue): JsonValue {
  if (schema.typeName === TimestampSchema.typeName) return toMilliseconds(json as string);
  const fields = timedFields(schema);
  if (fields.length > 0) {
    const object = json as Record<string, JsonValue>;
    for (const field of fields) {
      const value = object[field.jsonName];
      if (value === undefined || value === null || !field.message) continue;
      object[field.jsonName] = fixField(field, field.message, value);
    }
  }
  return json;
}

function fixField(field: DescField, schema: DescMessage, value: JsonValue): JsonValue {
  if (field.fieldKind === "list") {
    return (value as JsonValue[]).map((item) => withMilliseconds(schema, item));
  }
  if (field.fieldKind === "map") {
    const entries = Object.entries(value as Record<string, JsonValue>);
    return Object.fromEntries(entries.map(([key, item]) => [key, withMilliseconds(schema, item)]));
  }
  return withMilliseconds(schema, value);
}

const timedFieldsOf = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields below which a timestamp can be found; most messages have one or two, or none. */
function timedFields(schema: DescMessage): readonly DescField[] {
  let fields = timedFieldsOf.get(schema);
  if (fields === undefined) {
    fields = schema.fields.filter((f) => f.message && holdsTime(f.message, new Set()));
    timedFieldsOf.set(schema, fields);
  }
  return fields;
}

function holdsTime(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (schema.typeName === TimestampSchema.typeName) return true;
  if (seen.has(schema) || schema.file.name.startsWith("google/protobuf/")) return false;
  seen.add(schema);
  return schema.fields.some((field) => field.message && holdsTime(field.message, seen));
}

/** Cuts or pads the fraction: "…:00Z", "…:00.123456Z" → three digits. */
function toMilliseconds(text: string): string {
  const seconds = text.slice(0, 19);
  const fraction = text[19] === "." ? text.slice(20, -1) : "";
  return `${seconds}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}
