/** Request messages made from the contract's descriptors: as JSON, and as protobuf fields. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import type { WireField } from "./request.ts";
import type { Values } from "./values.ts";

/** No message of the contract needs more. */
const MAX_DEPTH = 5;

type Json = unknown;

/** Fields to give: of each oneof a single one, unless something goes wrong. */
function givenFields(values: Values, desc: DescMessage, depth: number): DescField[] {
  const chosen = new Map<string, DescField>();
  return desc.fields.filter((field) => {
    if (depth >= MAX_DEPTH && field.message !== undefined) return false;
    if (field.oneof !== undefined && !values.goesWrong()) {
      let only = chosen.get(field.oneof.name);
      if (only === undefined) {
        only = values.random.pick(field.oneof.fields);
        chosen.set(field.oneof.name, only);
      }
      return only === field;
    }
    return values.isGiven(field);
  });
}

/**
 * The entries of a list or map. Where there are many, each is plain: their number is the fault, and together they must
 * not become larger than requests may be.
 */
function entriesOf<T>(values: Values, make: (values: Values, at: number) => T): T[] {
  const isOdd = values.goesWrong();
  const length = isOdd ? values.random.pick([0, 1, 3, 101, 300]) : 1 + values.random.below(2);
  const each = length > 3 ? values.plain() : values;
  return Array.from({ length }, (_, at) => make(each, at));
}

/**
 * A message as JSON.
 *
 * @example jsonMessage(values, GetGroupRequestSchema) // { uid: "<own.group>" }
 */
export function jsonMessage(values: Values, desc: DescMessage, depth = 0): Record<string, Json> {
  const json: Record<string, Json> = {};
  for (const field of givenFields(values, desc, depth)) {
    const name = values.oneIn(6) ? field.name : field.jsonName;
    json[name] = jsonField(values, desc, field, depth);
  }
  if (values.goesWrong()) json[values.malformedText()] = jsonRubbish(values, 0);
  return json;
}

function jsonField(values: Values, desc: DescMessage, field: DescField, depth: number): Json {
  if (values.goesWrong() && values.oneIn(3)) return jsonRubbish(values, 0);
  switch (field.fieldKind) {
    case "list":
      return entriesOf(values, (each) => jsonSingle(each, desc, field, depth));
    case "map": {
      const entries = entriesOf(values, (each, at) => {
        const key = each.goesWrong() ? each.malformedText() : `key-${at}`;
        return [key, jsonSingle(each, desc, field, depth)] as const;
      });
      return Object.fromEntries(entries);
    }
    default:
      return jsonSingle(values, desc, field, depth);
  }
}

function jsonSingle(values: Values, desc: DescMessage, field: DescField, depth: number): Json {
  const { message, enum: enumDesc, scalar } = field;
  if (message !== undefined) return jsonNested(values, desc, message, field, depth);
  if (enumDesc !== undefined) {
    const number = values.enumNumber(field);
    return enumDesc.value[number]?.name ?? number;
  }
  switch (scalar) {
    case ScalarType.STRING:
      return values.text(field);
    case ScalarType.BOOL:
      return values.goesWrong() ? "yes" : values.oneIn(2);
    case ScalarType.BYTES:
      return values.goesWrong() ? "***" : "e30=";
    default: {
      const number = values.integer(field);
      return values.oneIn(2) ? String(number) : Number(number);
    }
  }
}

function jsonNested(
  values: Values,
  desc: DescMessage,
  message: DescMessage,
  field: DescField,
  depth: number,
): Json {
  switch (message.typeName) {
    case "google.protobuf.Timestamp":
      return values.goesWrong() ? values.malformedText() : "2026-01-31T09:30:00Z";
    case "google.protobuf.Duration":
      return values.goesWrong() ? values.malformedText() : `${60 + values.random.below(3_600)}s`;
    case "google.protobuf.FieldMask":
      return values.mask(resourceOf(desc));
    default:
      return field.name === "paths" ? [] : jsonMessage(values, message, depth + 1);
  }
}

/** The resource that a mask beside it is about. */
function resourceOf(desc: DescMessage): DescMessage | undefined {
  return desc.fields.find(({ message, name }) => message !== undefined && !name.includes("mask"))
    ?.message;
}

/** JSON of any shape. */
export function jsonRubbish(values: Values, depth: number): Json {
  const kind = values.random.below(depth > 3 ? 6 : 9);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return values.oneIn(2);
    case 2:
      return values.random.pick([0, -1, 1.5, 1e21, 1e308, 2 ** 31, 2 ** 53, -0]);
    case 6:
      return Array.from({ length: values.random.below(4) }, () => jsonRubbish(values, depth + 1));
    case 7:
      return { [values.malformedText()]: jsonRubbish(values, depth + 1) };
    case 8: {
      let nested: Json = 1;
      for (let left = values.random.pick([10, 70, 500]); left > 0; left--)
        nested = { claims: nested };
      return nested;
    }
    default:
      return values.malformedText();
  }
}

/**
 * A message as protobuf fields.
 *
 * @example wireMessage(values, GetGroupRequestSchema) // [[1, "text", "<own.group>"]]
 */
export function wireMessage(values: Values, desc: DescMessage, depth = 0): WireField[] {
  const fields = givenFields(values, desc, depth).flatMap((field) =>
    wireField(values, desc, field, depth),
  );
  if (values.goesWrong() && values.oneIn(3))
    fields.push(wireRubbish(values, 1 + values.random.below(30)));
  return fields;
}

function wireField(
  values: Values,
  desc: DescMessage,
  field: DescField,
  depth: number,
): WireField[] {
  if (values.goesWrong() && values.oneIn(4)) return [wireRubbish(values, field.number)];
  if (field.fieldKind === "list") {
    return entriesOf(values, (each) => wireSingle(each, desc, field, depth));
  }
  if (field.fieldKind === "map") {
    return entriesOf(values, (each, at): WireField => {
      const key = each.goesWrong() ? each.malformedText() : `key-${at}`;
      const [, kind, value] = wireSingle(each, desc, field, depth);
      return [field.number, "message", [[1, "text", key], [2, kind, value] as WireField]];
    });
  }
  return [wireSingle(values, desc, field, depth)];
}

function wireSingle(values: Values, desc: DescMessage, field: DescField, depth: number): WireField {
  const { number, message, enum: enumDesc, scalar } = field;
  if (message !== undefined) return [number, "message", wireNested(values, desc, message, depth)];
  if (enumDesc !== undefined) return [number, "varint", String(values.enumNumber(field))];
  switch (scalar) {
    case ScalarType.STRING:
      return [number, "text", values.text(field)];
    case ScalarType.BOOL:
      return [number, "varint", values.goesWrong() ? "2" : String(values.random.below(2))];
    case ScalarType.BYTES:
      return [number, "hex", "00ff"];
    default:
      return [number, "varint", String(values.integer(field))];
  }
}

function wireNested(
  values: Values,
  desc: DescMessage,
  message: DescMessage,
  depth: number,
): WireField[] {
  if (/^google\.protobuf\.(Timestamp|Duration)$/.test(message.typeName)) {
    const isTime = message.name === "Timestamp";
    const seconds = isTime || values.goesWrong() ? values.seconds() : 3_600n;
    const nanos = values.goesWrong() ? values.random.pick(["-1", "999999999", "2147483647"]) : "0";
    return [
      [1, "varint", String(seconds)],
      [2, "varint", nanos],
    ];
  }
  if (message.typeName === "google.protobuf.FieldMask") {
    const paths = values.mask(resourceOf(desc)).split(",");
    return paths.map((path): WireField => [1, "text", path]);
  }
  return wireMessage(values, message, depth + 1);
}

/** A field with a value of any kind, or bytes that are no field at all. */
function wireRubbish(values: Values, no: number): WireField {
  switch (values.random.below(8)) {
    case 0:
      return [no, "varint", values.random.pick(["0", "18446744073709551615", "-1"])];
    case 1:
      return [no, "text", values.malformedText()];
    case 2:
      return [no, "fixed32", "7fc00000"];
    case 3:
      return [no, "fixed64", "7ff8000000000000"];
    case 4:
      return [
        no,
        "hex",
        values.random.pick(["ff", "c328", "eda080", "0affffffff0f", "00".repeat(64)]),
      ];
    case 5: {
      let nested: readonly WireField[] = [];
      for (let left = values.random.pick([5, 101, 400]); left > 0; left--) {
        nested = [[no, "message", nested]];
      }
      return [no, "message", nested];
    }
    case 6:
      return [536_870_911, "varint", "1"];
    default:
      return [
        0,
        "raw",
        values.random.pick(["0b", "0affffffff0f", "08ffffffffffffffffffff", "00", "0f"]),
      ];
  }
}
