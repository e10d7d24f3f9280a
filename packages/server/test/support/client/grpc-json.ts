/** Messages between their JSON form, which tests are written in, and the shapes of grpc-js. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import {
  DurationSchema,
  FieldMaskSchema,
  StructSchema,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { type Struct, structFrom, toStruct } from "./grpc-struct.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Masks, times and durations as messages; everything else reads the same.
 *
 * @example toGrpcJs(UpdateGroupRequestSchema, { updateMask: ["name"] }) // { updateMask: { paths: ["name"] } }
 */
export function toGrpcJs(message: DescMessage, value: unknown): unknown {
  return convert(message, value, toWellKnown);
}

/**
 * Converts a message as grpc-js read it to the JSON of REST.
 *
 * @example fromGrpcJs(GroupSchema, { createTime: { seconds: "0", nanos: 0 } }) // { createTime: "1970-01-01T00:00:00.000Z" }
 */
export function fromGrpcJs(message: DescMessage, value: object): unknown {
  return convert(message, value, fromWellKnown);
}

/** Converts a value of a well-known type; undefined for other messages. */
type WellKnown = (message: DescMessage, value: unknown) => unknown;

function convert(message: DescMessage, value: unknown, wellKnown: WellKnown): unknown {
  const known = wellKnown(message, value);
  if (known !== undefined) return known;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const field = fieldNamed(message, key);
    // grpc-js tells which member of a oneof is set, and null where a message is not.
    if (field === undefined) return isOneof(message, key) ? [] : [[key, one]];
    if (one === null && wellKnown === fromWellKnown) return [];
    return [[key, convertField(field, one, wellKnown)]];
  });
  return Object.fromEntries(entries);
}

function convertField(field: DescField, value: unknown, wellKnown: WellKnown): unknown {
  const { message } = field;
  const single = (one: unknown) => {
    if (message !== undefined) return convert(message, one, wellKnown);
    return Buffer.isBuffer(one) ? one.toString("base64") : one;
  };
  if (Array.isArray(value) && field.fieldKind === "list") return value.map(single);
  if (field.fieldKind !== "map" || typeof value !== "object" || value === null) {
    return single(value);
  }
  const entries = Object.entries(value).map(([key, one]) => [mapKey(key), single(one)]);
  return Object.fromEntries(entries);
}

/** grpc-js reads 64-bit keys of maps as eight characters, the lowest byte first. */
function mapKey(key: string): string {
  if (key.length !== 8 || !key.endsWith("\0")) return key;
  return String(Buffer.from(key, "latin1").readBigInt64LE());
}

function fieldNamed(message: DescMessage, key: string): DescField | undefined {
  return message.fields.find((field) => {
    return [field.jsonName, field.name, field.localName].includes(key);
  });
}

function isOneof(message: DescMessage, key: string): boolean {
  return key.startsWith("_") || message.oneofs.some(({ localName }) => localName === key);
}

function toWellKnown({ typeName }: DescMessage, value: unknown): unknown {
  if (typeName === FieldMaskSchema.typeName && Array.isArray(value)) return { paths: value };
  if (typeName === StructSchema.typeName) return toStruct(value as object);
  if (typeof value !== "string") return undefined;
  if (typeName === TimestampSchema.typeName) {
    const ms = Date.parse(value);
    return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
  }
  if (typeName === DurationSchema.typeName) {
    const seconds = Number.parseFloat(value);
    return { seconds: Math.trunc(seconds), nanos: Math.round((seconds % 1) * 1e9) };
  }
  return undefined;
}

function fromWellKnown({ typeName }: DescMessage, value: unknown): unknown {
  if (typeName === StructSchema.typeName) return structFrom(value as Struct);
  const { seconds, nanos } = (value ?? {}) as Fields;
  if (typeName === TimestampSchema.typeName) {
    return new Date(Number(seconds) * 1000 + Number(nanos) / 1_000_000).toISOString();
  }
  return typeName === DurationSchema.typeName ? `${seconds}s` : undefined;
}
