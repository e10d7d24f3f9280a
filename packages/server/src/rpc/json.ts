/**
 * Encodes messages as JSON. This is proto3 JSON with two additions: fields without presence are always written, so
 * clients need not know defaults, and timestamps always have three fraction digits.
 */
import type { DescField, DescMessage, JsonValue, Message, MessageShape } from "@bufbuild/protobuf";
import { toJson } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { isoTime } from "../lib/iso-time.ts";
import { fieldValue } from "./fields.ts";

export { messageFromJson } from "./json-read.ts";

export function messageToJson<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): string {
  const own = ownTimes(schema).filter((field) => fieldValue(message, field) !== undefined);
  const json = toJson(schema, without(message, own), { alwaysEmitImplicit: true });
  const object = withMilliseconds(schema, json) as Record<string, JsonValue>;
  for (const field of own)
    object[field.jsonName] = timeText(fieldValue(message, field) as Timestamp);
  return JSON.stringify(object);
}

const ownTimesOf = new WeakMap<DescMessage, readonly DescField[]>();

/** The timestamp fields of a message itself. They are encoded apart: toJson spends most of its time on them. */
function ownTimes(schema: DescMessage): readonly DescField[] {
  let fields = ownTimesOf.get(schema);
  if (fields === undefined) {
    fields = schema.fields.filter((field) => {
      return (
        field.fieldKind === "message" &&
        !field.oneof &&
        field.message.typeName === TimestampSchema.typeName
      );
    });
    ownTimesOf.set(schema, fields);
  }
  return fields;
}

function without<M extends Message>(message: M, fields: readonly DescField[]): M {
  if (fields.length === 0) return message;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message)), message);
  // Not `delete`: V8 reads objects with deleted properties slowly.
  for (const field of fields) copy[field.localName] = undefined;
  return copy;
}

function timeText({ seconds, nanos }: Timestamp): string {
  return isoTime(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000));
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

/** The fields that contain a timestamp at any depth. */
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
