/** Decodes scalars and enums from JSON, and from the plain text of query parameters and map keys. */
import type { DescEnum, JsonValue } from "@bufbuild/protobuf";
import { getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { name as dottedName } from "@wharf/contract/gen/wharf/capabilities/capabilities_pb.js";

/** A value that cannot be read. The message says what it must be; the caller adds the field. */
export class Unreadable extends Error {}

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const UINT32 = [0n, 2n ** 32n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT64 = [0n, 2n ** 64n - 1n] as const;
const MAX_FLOAT = 3.4028234663852886e38;

/** Decodes a scalar from JSON: numbers may be strings, 64-bit numbers become bigints, bytes are base64. */
export function scalarFromJson(type: ScalarType, json: JsonValue): unknown {
  switch (type) {
    case ScalarType.STRING:
      if (typeof json !== "string") throw new Unreadable("must be a string");
      if (!json.isWellFormed()) throw new Unreadable("must be well-formed text");
      return json;
    case ScalarType.BOOL:
      if (typeof json !== "boolean") throw new Unreadable("must be true or false");
      return json;
    case ScalarType.BYTES:
      return bytes(json);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return real(json, type === ScalarType.FLOAT);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return Number(integer(json, INT32));
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return Number(integer(json, UINT32));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integer(json, INT64);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integer(json, UINT64);
  }
}

/** Decodes a scalar from plain text. */
export function scalarFromText(type: ScalarType, text: string): unknown {
  if (type !== ScalarType.BOOL) return scalarFromJson(type, text);
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new Unreadable("must be true or false");
}

/** Decodes an enum from the name, the number or the dotted name of a value. */
export function enumFromJson(desc: DescEnum, json: JsonValue): number {
  if (typeof json === "string") {
    const number = numbersOf(desc).get(json);
    if (number !== undefined) return number;
    if (!/^-?\d+$/.test(json)) {
      throw new Unreadable(
        `must be one of the values of ${desc.name}, not ${JSON.stringify(json)}`,
      );
    }
  } else if (typeof json !== "number") throw new Unreadable(`must be a value of ${desc.name}`);
  return Number(integer(json, INT32));
}

const numbers = new WeakMap<DescEnum, ReadonlyMap<string, number>>();

function numbersOf(desc: DescEnum): ReadonlyMap<string, number> {
  let map = numbers.get(desc);
  if (map === undefined) {
    const all = new Map<string, number>();
    for (const value of desc.values) {
      all.set(value.name, value.number);
      if (hasOption(value, dottedName)) all.set(getOption(value, dottedName), value.number);
    }
    map = all;
    numbers.set(desc, map);
  }
  return map;
}

function integer(json: JsonValue, [min, max]: readonly [bigint, bigint]): bigint {
  const value = wholeNumber(json);
  if (value === undefined) throw new Unreadable("must be a whole number");
  if (value < min || value > max) throw new Unreadable(`must be between ${min} and ${max}`);
  return value;
}

/** Numbers beyond 2^53 are bigints (json-parse.ts). */
function wholeNumber(json: JsonValue | bigint): bigint | undefined {
  if (typeof json === "bigint") return json;
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  // Every 64-bit number has at most 20 characters.
  if (typeof json !== "string" || json.length > 20 || !/^-?\d+$/.test(json)) return undefined;
  return BigInt(json);
}

function real(json: JsonValue | bigint, single: boolean): number {
  if (typeof json === "bigint") return real(Number(json), single);
  if (json === "NaN") return Number.NaN;
  if (json === "Infinity") return Number.POSITIVE_INFINITY;
  if (json === "-Infinity") return Number.NEGATIVE_INFINITY;
  const text = typeof json === "string" && json.trim() === json && json !== "";
  const value = typeof json === "number" || text ? Number(json) : Number.NaN;
  if (!Number.isFinite(value)) throw new Unreadable("must be a number");
  if (single && Math.abs(value) > MAX_FLOAT) throw new Unreadable("is too large");
  return value;
}

function bytes(json: JsonValue): Uint8Array {
  if (typeof json === "string") {
    try {
      return base64Decode(json);
    } catch {}
  }
  throw new Unreadable("must be base64");
}
