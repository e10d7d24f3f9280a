/**
 * Decodes JSON to messages. Errors name the field as the client does (`claimMatch.issuer`).
 *
 * Field names may be camelCase or snake_case. Enum values may be names, numbers or the dotted names that the
 * contract defines (`groups.list`).
 */
import type {
  DescField,
  DescMessage,
  JsonObject,
  JsonValue,
  Message,
  MessageShape,
} from "@bufbuild/protobuf";
import { create, fromJson } from "@bufbuild/protobuf";
import { FieldMaskSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../lib/errors.ts";
import { fieldValue, setField } from "./fields.ts";
import { enumFromJson, scalarFromJson, scalarFromText, Unreadable } from "./json-scalar.ts";

/** Deeper than any message of the contract. Bounds recursion. */
const MAX_DEPTH = 64;

export interface ReadOptions {
  /** Policy for unknown keys. Default: "ignore". */
  readonly unknown?: "ignore" | "reject";
}

/** Decodes a message from parsed JSON. Throws INVALID_ARGUMENT with the field that cannot be read. */
export function messageFromJson<Desc extends DescMessage>(
  schema: Desc,
  json: JsonValue,
  options: ReadOptions = {},
): MessageShape<Desc> {
  return new Reader(options.unknown === "reject").message(
    schema,
    json,
    "",
    0,
  ) as MessageShape<Desc>;
}

/** Decodes one field from parsed JSON and sets it. Null leaves the field unset. */
export function fieldFromJson(
  message: Message,
  field: DescField,
  json: JsonValue,
  options: ReadOptions & { readonly path?: string } = {},
): void {
  new Reader(options.unknown === "reject").field(message, field, json, options.path ?? "", 0);
}

const fieldsByName = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** Finds a field by its proto or JSON name. */
export function fieldNamed(schema: DescMessage, name: string): DescField | undefined {
  let fields = fieldsByName.get(schema);
  if (fields === undefined) {
    // A custom json_name is an addition to the camelCase name, not a replacement.
    fields = new Map(
      schema.fields.flatMap((f) => [camelCase(f.name), f.name, f.jsonName].map((n) => [n, f])),
    );
    fieldsByName.set(schema, fields);
  }
  return fields.get(name);
}

class Reader {
  readonly #rejectUnknown: boolean;

  constructor(rejectUnknown: boolean) {
    this.#rejectUnknown = rejectUnknown;
  }

  message(schema: DescMessage, json: JsonValue, path: string, depth: number): Message {
    if (depth > MAX_DEPTH) throw invalid(path, "is nested too deeply");
    if (schema.file.name.startsWith("google/protobuf/")) return wellKnown(schema, json, path);
    if (!isObject(json)) throw invalid(path, "must be an object");
    const message: Message = create(schema);
    for (const key of Object.keys(json)) {
      const field = fieldNamed(schema, key);
      const value = json[key] as JsonValue;
      if (field) this.field(message, field, value, join(path, field.jsonName), depth);
      else if (this.#rejectUnknown) throw invalid(join(path, key), "is not a known field");
    }
    return message;
  }

  field(message: Message, field: DescField, json: JsonValue, path: string, depth: number): void {
    if (json === null && field.message?.typeName !== "google.protobuf.Value") return;
    const other = field.oneof?.fields.find(
      (one) => one !== field && fieldValue(message, one) !== undefined,
    );
    if (other) throw invalid(path, `excludes ${other.jsonName}`);
    setField(message, field, this.#value(field, json, path, depth));
  }

  #value(field: DescField, json: JsonValue, path: string, depth: number): unknown {
    switch (field.fieldKind) {
      case "list":
        if (!Array.isArray(json)) throw invalid(path, "must be a list");
        return json.map((item, index) => {
          // If the body itself is the list, the path is empty and the field is named instead.
          return this.#single(field, item, `${path || field.jsonName}[${index}]`, depth);
        });
      case "map":
        return this.#map(field, json, path, depth);
      case "message":
        return this.#unwrapped(field.message, json, path, depth);
      default:
        return this.#single(field, json, path, depth);
    }
  }

  #map(field: DescField & { fieldKind: "map" }, json: JsonValue, path: string, depth: number) {
    if (!isObject(json)) throw invalid(path, "must be an object");
    const map: Record<string, unknown> = {};
    for (const key of Object.keys(json)) {
      const at = join(path, key);
      const read = attempt(at, () => scalarFromText(field.mapKey, key));
      const value = this.#single(field, json[key] as JsonValue, at, depth);
      // defineProperty: assigning to __proto__ would set the prototype.
      const property = { value, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(map, String(read), property);
    }
    return map;
  }

  /** A singular message field. Generated messages hold wrappers and structs as plain values. */
  #unwrapped(schema: DescMessage, json: JsonValue, path: string, depth: number): unknown {
    if (isWrapperDesc(schema)) {
      const { scalar } = schema.fields[0];
      return attempt(path, () => scalarFromJson(scalar, json));
    }
    if (schema.typeName === "google.protobuf.Struct") {
      if (!isObject(json)) throw invalid(path, "must be an object");
      checkDepth(json, path, depth);
      return json;
    }
    return this.message(schema, json, path, depth + 1);
  }

  #single(field: DescField, json: JsonValue, path: string, depth: number): unknown {
    if (json === null) throw invalid(path, "must not be null");
    if (field.message) return this.message(field.message, json, path, depth + 1);
    if (field.enum) {
      const desc = field.enum;
      return attempt(path, () => enumFromJson(desc, json));
    }
    const value = attempt(path, () => scalarFromJson(field.scalar as number, json));
    return "longAsString" in field && field.longAsString ? String(value) : value;
  }
}

/** Well-known types with a JSON form of their own. Paths of a field mask are kept as written. */
function wellKnown(schema: DescMessage, json: JsonValue, path: string): Message {
  if (schema.typeName === FieldMaskSchema.typeName) {
    if (typeof json !== "string") throw invalid(path, "must be a comma-separated list of fields");
    return create(FieldMaskSchema, { paths: maskPaths(json) });
  }
  checkDepth(json, path, 0);
  try {
    return fromJson(schema, json, { ignoreUnknownFields: true });
  } catch {
    throw invalid(path, `must be ${WELL_KNOWN_FORMS[schema.name] ?? `a ${schema.name}`}`);
  }
}

const WELL_KNOWN_FORMS: Readonly<Record<string, string>> = {
  Timestamp: 'an RFC 3339 time such as "2026-01-31T09:30:00Z"',
  Duration: 'a duration in seconds such as "3600s"',
  Empty: "an empty object",
};

/** Splits the text form of a field mask. */
function maskPaths(text: string): string[] {
  return text
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
}

function attempt<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw invalid(path, thrown.message);
    throw thrown;
  }
}

function invalid(path: string, problem: string) {
  const field = path === "" ? "the body" : path;
  return invalidArgument({ field: path, description: `${field} ${problem}` });
}

function checkDepth(json: JsonValue, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw invalid(path, "is nested too deeply");
  if (typeof json !== "object" || json === null) return;
  for (const item of Object.values(json)) checkDepth(item as JsonValue, path, depth + 1);
}

function isObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
