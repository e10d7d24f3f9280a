/** JSON schemas of messages, collected as they are referenced. */
import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldBehavior, rulesOf } from "@wharf/contract";
import type { Schema } from "./part.ts";
import { schemaRef } from "./part.ts";
import { textOfEnum, textOfField, textOfType } from "./texts.ts";

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
  "google.protobuf.FieldMask": { type: "string" },
  "google.protobuf.Empty": { type: "object" },
  "google.protobuf.Struct": { type: "object", additionalProperties: true },
  "google.protobuf.Value": {},
  "google.protobuf.ListValue": { type: "array", items: {} },
};

/** Imported documents contain what no other request can set. */
const IN_IMPORTS = /^wharf\.vulnerabilities\.v2beta1\.(Advisory|Vulnerability)/;

export class Schemas {
  readonly #all = new Map<string, Schema>();

  /** The schemas referenced so far, by name. */
  collected(): Record<string, Schema> {
    return Object.fromEntries([...this.#all].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to a message, or the schema itself for standard protobuf types. */
  message(desc: DescMessage): Schema {
    const known = WELL_KNOWN[desc.typeName];
    if (known) return known;
    if (isWrapperDesc(desc)) return SCALARS[desc.fields[0].scalar];
    return this.#reference(nameOf(desc), () => this.#object(desc, desc.fields, isAlwaysPresent));
  }

  /** The message as the body of a request: with the fields that are required there, and absent from responses. */
  request(desc: DescMessage): Schema {
    const required = desc.fields
      .filter((field) => isRequired(field) && !isAlwaysPresent(field))
      .map(({ jsonName }) => jsonName);
    const message = this.message(desc);
    return required.length > 0 ? { allOf: [message], required } : message;
  }

  /** The message without some of its fields: those that are in the path, or that no client sets. */
  without(desc: DescMessage, omitted: ReadonlySet<string>): Schema {
    const fields = desc.fields.filter((field) => !omitted.has(field.name));
    return this.#object(desc, fields, isRequired);
  }

  /** The message as the body of a PATCH, which may have any part of it. */
  partial(desc: DescMessage): Schema {
    if (!desc.fields.some(isRequired)) return this.message(desc);
    return this.#reference(`${nameOf(desc)}Patch`, () =>
      this.#object(desc, desc.fields, () => false),
    );
  }

  field(field: DescField): Schema {
    const { outputOnly, inputOnly } = fieldBehavior(field);
    const isReadOnly = outputOnly && !IN_IMPORTS.test(field.parent.typeName);
    const description = textOfField(field);
    return {
      ...this.#value(field),
      ...(description !== "" && { description }),
      ...(isReadOnly && { readOnly: true }),
      ...(inputOnly && { writeOnly: true }),
    };
  }

  #value(field: DescField): Schema {
    const rules = rulesOf(field);
    const { maxSize, minSize, pattern } = rules ?? {};
    if (field.fieldKind === "list") {
      return {
        type: "array",
        items: this.#single(field),
        ...(maxSize && { maxItems: maxSize }),
        ...(minSize && { minItems: minSize }),
      };
    }
    if (field.fieldKind === "map") {
      return { type: "object", additionalProperties: this.#single(field) };
    }
    return {
      ...this.#single(field),
      ...(pattern && isPortable(pattern) && { pattern }),
      ...(maxSize && { maxLength: maxSize }),
    };
  }

  #single(field: DescField): Schema {
    if (field.message) return this.message(field.message);
    if (field.enum) return this.#enum(field.enum);
    return SCALARS[field.scalar as ScalarType];
  }

  #object(
    desc: DescMessage,
    fields: readonly DescField[],
    isNeeded: (field: DescField) => boolean,
  ): Schema {
    const description = textOfType(desc);
    const properties = fields.map((field) => [field.jsonName, this.field(field)]);
    const required = fields.filter(isNeeded).map(({ jsonName }) => jsonName);
    return {
      type: "object",
      title: desc.name,
      ...(description !== "" && { description }),
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties),
    };
  }

  #enum(desc: DescEnum): Schema {
    return this.#reference(nameOf(desc), () => {
      const description = textOfEnum(desc);
      return {
        type: "string",
        title: desc.name,
        ...(description !== "" && { description }),
        enum: desc.values.map((value) => value.name),
      };
    });
  }

  /** Registered before it is built: messages may be recursive. */
  #reference(name: string, make: () => Schema): Schema {
    if (!this.#all.has(name)) {
      this.#all.set(name, {});
      this.#all.set(name, make());
    }
    return schemaRef(name);
  }
}

function isRequired(field: DescField): boolean {
  return fieldBehavior(field).required;
}

/** Whether a field is in every message. Responses do not have the fields that only requests have. */
function isAlwaysPresent(field: DescField): boolean {
  return isRequired(field) && !fieldBehavior(field).inputOnly;
}

/** Names are unique within version 2, which has them for itself; others keep those of their package. */
function nameOf({ typeName, file }: DescMessage | DescEnum): string {
  const isVersion2 = !file.proto.package.endsWith(".v1");
  const prefix = isVersion2 ? `${file.proto.package}.` : "wharf.";
  return typeName.slice(prefix.length);
}

/** JSON Schema has the regular expressions of ECMAScript, without flags such as `(?i)`. */
function isPortable(pattern: string): boolean {
  return !/\(\?[a-zA-Z]/.test(pattern) && !/\\[pPzA]/.test(pattern);
}
