/** Single values: from JSON, and from the bare text that queries and map keys are. */
import type { DescEnum, JsonValue } from "@bufbuild/protobuf";
import { getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { name as dottedName } from "@wharf/contract/gen/wharf/capabilities/capabilities_pb.js";

/** Says what a value must be; whoever asked knows where it stood. */
export class Unreadable extends Error {}

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const UINT32 = [0n, 2n ** 32n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT64 = [0n, 2n ** 64n - 1n] as const;
const MAX_FLOAT = 3.4028234663852886e38;

/**
 * Reads a scalar from JSON: numbers also as text, 64-bit ones as bigint, bytes from base64.
 *
 * @example scalarFromJson(ScalarType.INT64, "12") // 12n
 */
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

/**
 * Reads a scalar from bare text, as a query has it.
 *
 * @example scalarFromText(ScalarType.BOOL, "true") // true
 */
export function scalarFromText(type: ScalarType, text: string): unknown {
  if (type !== ScalarType.BOOL) return scalarFromJson(type, text);
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new Unreadable("must be true or false");
}

/**
 * Reads an enum by the name of a value, its number, or its dotted name where it has one.
 *
 * @example enumFromJson(CapabilitySchema, "groups.list") // Capability.CAP_IAM_GROUPS_LIST
 */
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

function wholeNumber(json: JsonValue): bigint | undefined {
  if (typeof json === "number") return Number.isSafeInteger(json) ? BigInt(json) : undefined;
  // Twenty characters hold every 64-bit number; longer text is not worth a bigint.
  if (typeof json !== "string" || json.length > 20 || !/^-?\d+$/.test(json)) return undefined;
  return BigInt(json);
}

function real(json: JsonValue, single: boolean): number {
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
