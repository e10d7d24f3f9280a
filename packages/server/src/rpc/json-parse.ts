/**
 * Parses the JSON of a request by the schema of its message. Keys that the schema does not have are skipped, and large
 * or deep requests end where they exceed a bound: a parser that first builds everything can be kept busy by anyone.
 */
import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../lib/errors.ts";
import { fieldNamed } from "./json-read.ts";
import { JsonScanner } from "./json-scan.ts";
import { RequestBounds } from "./request-bounds.ts";

export interface ParseOptions {
  /** The handling of unknown fields: parsing stops at the first, or skips them. Default: "ignore". */
  readonly unknown?: "ignore" | "reject" | undefined;
  /** The only field to read, as a path from the root message. Default: all fields. */
  readonly only?: readonly DescField[] | undefined;
}

export interface ParsedJson {
  readonly value: JsonValue;
  /** The paths of unknown fields, in their order. */
  readonly unknown: readonly string[];
}

/**
 * Parses the JSON of a message, or of one field of it. Whole numbers beyond 2^53 are exact bigints, which are read
 * where a 64-bit integer is expected; the type of JSON values does not know them. Throws SyntaxError for what is not
 * JSON, and INVALID_ARGUMENT for what exceeds a bound.
 */
export function parseJson(
  text: string,
  shape: DescMessage | DescField,
  options: ParseOptions = {},
): ParsedJson {
  const parser = new JsonParser(text, options);
  const value =
    shape.kind === "message" ? parser.message(shape, "", false) : parser.field(shape, "", false);
  parser.scanner.end();
  return { value, unknown: parser.unknown };
}

/** Well-known types that contain any JSON. */
const FREE_FORM: ReadonlySet<string> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
]);

/** Values in unknown fields, however deep: these are counted as entries of lists are. */
const MAX_SKIPPED_VALUES = 100_000;

class JsonParser {
  readonly scanner: JsonScanner;
  readonly unknown: string[] = [];
  readonly #options: ParseOptions;
  readonly #bounds = new RequestBounds();
  readonly #maxSkipped: number;

  constructor(text: string, options: ParseOptions) {
    this.scanner = new JsonScanner(text);
    this.#options = options;
    this.#maxSkipped = options.only === undefined ? MAX_SKIPPED_VALUES : Number.POSITIVE_INFINITY;
  }

  message(schema: DescMessage, path: string, isInList: boolean): JsonValue {
    if (FREE_FORM.has(schema.typeName)) return this.scanner.anyValue();
    if (schema.file.name.startsWith("google/protobuf/") || !this.scanner.isObject()) {
      return this.scanner.scalar();
    }
    const object: Record<string, JsonValue> = {};
    this.scanner.object((key) => {
      const field = this.#fieldOf(schema, key, path);
      if (field === undefined) this.scanner.skip(this.#maxSkipped);
      else object[key] = this.field(field, join(path, field.jsonName), isInList);
    });
    return object;
  }

  field(field: DescField, path: string, isInList: boolean): JsonValue {
    if (field.fieldKind === "list" && this.scanner.isArray()) {
      return this.#list(field, path, isInList);
    }
    if (field.fieldKind === "map" && this.scanner.isObject()) {
      return this.#map(field, path, isInList);
    }
    if (field.fieldKind === "message") return this.message(field.message, path, isInList);
    return this.scanner.scalar();
  }

  #list(field: DescField & { fieldKind: "list" }, path: string, isInList: boolean): JsonValue {
    const list: JsonValue[] = [];
    // If the body itself is the list, the path is empty and the field is named instead.
    const at = path || field.jsonName;
    this.scanner.array(() => {
      this.#bounds.countEntry(field, list.length + 1, at, isInList);
      list.push(this.#entry(field, `${at}[${list.length}]`));
    });
    return list;
  }

  #map(field: DescField & { fieldKind: "map" }, path: string, isInList: boolean): JsonValue {
    const map: Record<string, JsonValue> = {};
    let count = 0;
    this.scanner.object((key) => {
      this.#bounds.countEntry(field, ++count, path || field.jsonName, isInList);
      const value = this.#entry(field, join(path, key));
      // defineProperty: assigning to __proto__ would set the prototype.
      const property = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(map, key, property);
    });
    return map;
  }

  #entry({ message }: DescField, path: string): JsonValue {
    return message === undefined ? this.scanner.scalar() : this.message(message, path, true);
  }

  #fieldOf(schema: DescMessage, key: string, path: string): DescField | undefined {
    const field = fieldNamed(schema, key);
    const { only, unknown } = this.#options;
    if (only !== undefined) return field && only.includes(field) ? field : undefined;
    if (field !== undefined) return field;
    const name = join(path, key);
    if (unknown === "reject") throw unknownField(name);
    this.#bounds.countUnknown();
    this.unknown.push(name);
    return undefined;
  }
}

/** The error for a field that the schema does not have, where all must be known. */
export function unknownField(path: string): Error {
  return invalidArgument({ field: path, description: `${path} is not a known field` });
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
