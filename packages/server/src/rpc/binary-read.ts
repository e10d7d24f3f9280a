/** Reads requests in protobuf within the bounds of requests, and the scope of those that are denied. */
import { type DescField, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidArgument, WharfError } from "../lib/errors.ts";
import { RequestBounds } from "./request-bounds.ts";

/** Shorter messages are decoded at once: they cannot contain enough to take long. */
const SHORT_BYTES = 16 * 1024;

/** Nesting of messages, as in JSON. */
const MAX_DEPTH = 100;

/** Decodes a message. Throws INVALID_ARGUMENT. */
export function messageFromBinary(schema: DescMessage, bytes: Uint8Array): Message {
  return attempt(schema, () => {
    if (bytes.length > SHORT_BYTES) {
      new BoundedScan().message(schema, new BinaryReader(bytes), bytes.length, 0);
    }
    return fromBinary(schema, bytes, { readUnknownFields: false });
  });
}

/** The text in a field, given as a path from the message. Nothing else is decoded. Throws INVALID_ARGUMENT. */
export function textFromBinary(
  schema: DescMessage,
  bytes: Uint8Array,
  path: readonly DescField[],
): string {
  return attempt(schema, () => lastText(bytes, path) ?? "");
}

/** Of several occurrences, the last one counts, also in parts of one message. */
function lastText(bytes: Uint8Array, [field, ...rest]: readonly DescField[]): string | undefined {
  const reader = new BinaryReader(bytes);
  let text: string | undefined;
  while (reader.pos < bytes.length) {
    const [number, type] = reader.tag();
    if (number !== field?.number || type !== WireType.LengthDelimited) reader.skip(type, number);
    else if (rest.length === 0) text = reader.string();
    else text = lastText(reader.bytes(), rest) ?? text;
  }
  return text;
}

function attempt<T>(schema: DescMessage, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof WharfError) throw thrown;
    const description = `the message is not a valid ${schema.typeName}`;
    throw invalidArgument({ field: "", description });
  }
}

const fieldsByNumber = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldNumbered(schema: DescMessage, number: number): DescField | undefined {
  let fields = fieldsByNumber.get(schema);
  if (fields === undefined) {
    fields = new Map(schema.fields.map((field) => [field.number, field]));
    fieldsByNumber.set(schema, fields);
  }
  return fields.get(number);
}

/** Counts what a message contains, and builds nothing. */
class BoundedScan {
  readonly #bounds = new RequestBounds();

  message(schema: DescMessage, reader: BinaryReader, end: number, depth: number): void {
    if (depth > MAX_DEPTH) throw new RangeError("nested too deeply");
    const counts = new Map<DescField, number>();
    while (reader.pos < end) {
      const [number, type] = reader.tag();
      const field = fieldNumbered(schema, number);
      if (field === undefined) this.#bounds.countUnknown();
      const isList = field?.fieldKind === "list" || field?.fieldKind === "map";
      if (field !== undefined && isList) {
        const count = (counts.get(field) ?? 0) + 1;
        counts.set(field, count);
        // Nested lists belong to resources, which their methods validate.
        this.#bounds.countEntry(field, count, field.jsonName, depth > 0);
      }
      const inner = type === WireType.LengthDelimited ? field?.message : undefined;
      if (field === undefined || inner === undefined || field.fieldKind === "map") {
        reader.skip(type, number);
        continue;
      }
      const length = reader.uint32();
      this.message(inner, reader, reader.pos + length, depth + 1);
    }
  }
}
