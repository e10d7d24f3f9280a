/** JSON schemas of messages, collected as they are referenced. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldBehavior, rulesOf } from "@wharf/contract";

export type Schema = Readonly<Record<string, unknown>>;

const INT64: Schema = { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
const INT32: Schema = { type: "integer", format: "int32" };
const UINT32: Schema = { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 };

const SCALARS: Readonly<Record<ScalarType, Schema>> = {
  [ScalarType.DOUBLE]: { type: "number", format: "double" },
  [ScalarType.FLOAT]: { type: "number", format: "float" },
  [ScalarType.INT64]: INT64,
  [ScalarType.UINT64]: INT64,
  [ScalarType.FIXED64]: INT64,
  [ScalarType.SFIXED64]: INT64,
  [ScalarType.SINT64]: INT64,
  [ScalarType.INT32]: INT32,
  [ScalarType.SFIXED32]: INT32,
  [ScalarType.SINT32]: INT32,
  [ScalarType.UINT32]: UINT32,
  [ScalarType.FIXED32]: UINT32,
  [ScalarType.BOOL]: { type: "boolean" },
  [ScalarType.STRING]: { type: "string" },
  [ScalarType.BYTES]: { type: "string", contentEncoding: "base64" },
};

const WELL_KNOWN: Readonly<Record<string, Schema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]+)?s$" },
  "google.protobuf.FieldMask": { type: "string", description: "Field paths, comma-separated." },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
};

export class Schemas {
  readonly #all = new Map<string, Schema>();

  /** The schemas referenced so far, by name. */
  collected(): Record<string, Schema> {
    return Object.fromEntries([...this.#all].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to a message, or the schema itself for well-known types. */
  message(desc: DescMessage): Schema {
    const known = WELL_KNOWN[desc.typeName];
    if (known) return known;
    if (isWrapperDesc(desc)) return SCALARS[desc.fields[0].scalar];
    return this.#reference(desc.typeName, () => this.#object(desc));
  }

  field(field: DescField): Schema {
    const rules = rulesOf(field);
    if (field.fieldKind === "list") {
      return {
        type: "array",
        items: this.#single(field),
        ...(rules?.maxSize ? { maxItems: rules.maxSize } : undefined),
      };
    }
    if (field.fieldKind === "map") {
      return { type: "object", additionalProperties: this.#single(field) };
    }
    const { outputOnly, inputOnly } = fieldBehavior(field);
    return {
      ...this.#single(field),
      ...(rules?.pattern ? { pattern: rules.pattern } : undefined),
      ...(rules?.maxSize ? { maxLength: rules.maxSize } : undefined),
      ...(outputOnly ? { readOnly: true } : undefined),
      ...(inputOnly ? { writeOnly: true } : undefined),
    };
  }

  #single(field: DescField): Schema {
    if (field.message) return this.message(field.message);
    if (field.enum) return this.#enum(field.enum);
    return SCALARS[field.scalar as ScalarType];
  }

  #object(desc: DescMessage): Schema {
    const properties = desc.fields.map((field) => [field.jsonName, this.field(field)]);
    return { type: "object", title: desc.name, properties: Object.fromEntries(properties) };
  }

  #enum(desc: DescEnum): Schema {
    const names = desc.values.map((value) => value.name);
    return this.#reference(desc.typeName, () => ({ type: "string", enum: names }));
  }

  /** Registered before it is built: messages may be recursive. */
  #reference(name: string, make: () => Schema): Schema {
    if (!this.#all.has(name)) {
      this.#all.set(name, {});
      this.#all.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }
}
