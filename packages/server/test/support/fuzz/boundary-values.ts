/** Requests whose fields hold the extreme values of their types, one field at a time. */
import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageInitShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Deep enough for everything that handlers read; messages of the contract may nest without end. */
const MAX_DEPTH = 6;

const INT32 = [0, -1, 2 ** 31 - 1, -(2 ** 31)];
const INT64 = [0n, -1n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)];
const REAL = [0, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324];
const TEXT = ["", "\0", "%s'\";--", "__proto__", "9".repeat(400)];
const SECONDS = [2n ** 62n, -(2n ** 62n), 253_402_300_800n, -62_135_596_801n, 2n ** 63n - 1n];
const NANOS = [-1, 10 ** 9, 2 ** 31 - 1, -(2 ** 31)];

/** The way from a request to one of its fields. */
export type Path = readonly DescField[];

/**
 * Every field of a message that holds a single value, a time or a duration. A message within itself, such as a filter, is
 * entered once: the same code reads those below it.
 *
 * @example for (const path of leavesOf(CreateGroupRequestSchema)) …
 */
export function* leavesOf(desc: DescMessage, above: Path = []): Iterable<Path> {
  for (const field of desc.fields) {
    const path = [...above, field];
    const { message } = field;
    if (message === undefined || isTime(message)) yield path;
    else if (path.length < MAX_DEPTH && entries(above, message) < 2) yield* leavesOf(message, path);
  }
}

/** The number of times that a path enters a message. */
function entries(path: Path, message: DescMessage): number {
  return path.filter((field) => field.message === message).length;
}

function isTime({ typeName }: DescMessage): boolean {
  return typeName === TimestampSchema.typeName || typeName === DurationSchema.typeName;
}

/** The values to try in a field: where it is repeated, in its one entry. */
export function extremesOf({ message, enum: values, scalar }: DescField): readonly unknown[] {
  if (message !== undefined) {
    return [
      ...SECONDS.map((seconds) => create(message, { seconds, nanos: 0 } as object as never)),
      ...NANOS.map((nanos) => create(message, { seconds: 1n, nanos } as object as never)),
    ];
  }
  if (values !== undefined) return INT32;
  switch (scalar) {
    case ScalarType.STRING:
      return [...TEXT, "😀".repeat(3_000)];
    case ScalarType.BOOL:
      return [true];
    case ScalarType.BYTES:
      return [new Uint8Array(), new Uint8Array(70_000)];
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return REAL;
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return [0, 2 ** 31, 2 ** 32 - 1];
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return [0n, 2n ** 63n, 2n ** 64n - 1n];
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return INT64;
    default:
      return INT32;
  }
}

/** The same as they are written in JSON, with what JSON alone can say. */
export function jsonExtremesOf({ message, enum: values, scalar }: DescField): readonly unknown[] {
  if (message?.typeName === TimestampSchema.typeName) return JSON_TIMES;
  if (message?.typeName === DurationSchema.typeName) return JSON_DURATIONS;
  if (scalar === ScalarType.STRING) return [...TEXT, 1, ["x"]];
  if (values !== undefined) return ["2147483647", -1, "NO_SUCH_VALUE", 1.5];
  return ["4294967295", "-2147483649", "18446744073709551615", 2 ** 31, 1e300, -0.5, "NaN", true];
}

const JSON_TIMES = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "10000-01-01T00:00:00Z",
  "+275760-09-13T00:00:00Z",
  "9999-12-31T23:59:59-23:59",
  "2026-02-30T00:00:00Z",
];
const JSON_DURATIONS = ["315576000000s", "315576000001s", "-1s", "1e9s", "0.0000000001s"];

/** Puts a value where a path leads, making what is missing on the way. */
export function put(message: Message, [field, ...rest]: Path, value: unknown): void {
  if (field === undefined) return;
  // biome-ignore lint/suspicious/noExplicitAny: fields are set by their descriptors.
  const holder = message as any;
  const before = field.oneof === undefined ? holder[field.localName] : undefined;
  let inner = value;
  if (rest.length > 0) {
    const first = field.fieldKind === "message" ? before : Object.values(before ?? {})[0];
    inner = first ?? create(field.message as DescMessage, {} as MessageInitShape<DescMessage>);
    put(inner as Message, rest, value);
  }
  const set = { list: [inner], map: { 1: inner } }[field.fieldKind as string] ?? inner;
  if (field.oneof === undefined) holder[field.localName] = set;
  else holder[field.oneof.localName] = { case: field.localName, value: set };
}
