import { hash } from "node:crypto";
import { clearField, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { fieldValue } from "../rpc/fields.ts";

/** Raised when the way that resources are written as JSON changes for another reason than their shape. */
const WRITER_VERSION = 1;

/**
 * A number that changes whenever the shape of a message does, nested messages included.
 *
 * @example shapeNumber(GroupSchema) // 2034839021
 */
export function schemaFingerprint(schema: DescMessage): number {
  const seen = new Set<string>();
  const describe = (message: DescMessage): string => {
    if (seen.has(message.typeName)) return message.typeName;
    seen.add(message.typeName);
    const fields = message.fields.map((field) => {
      const inner = field.message ? describe(field.message) : "";
      const values = field.enum ? field.enum.values.map((value) => value.name).join() : "";
      return `${field.number}:${field.jsonName}:${field.fieldKind}:${inner}${values}`;
    });
    return `${message.typeName}{${fields.join(";")}}`;
  };
  const digest = hash("sha256", `${WRITER_VERSION} ${describe(schema)}`, "buffer");
  return digest.readUInt32BE();
}

/** Which fields of a message to clear, and which to look into. */
interface Plan {
  readonly clear: readonly DescField[];
  readonly enter: readonly DescField[];
}

/**
 * Takes the fields that a test picks out of messages, at any depth.
 *
 * @example new FieldRemover((field) => fieldBehavior(field).outputOnly)
 */
export class FieldRemover {
  readonly #picks: (field: DescField) => boolean;
  readonly #plans = new Map<DescMessage, Plan>();

  constructor(picks: (field: DescField) => boolean) {
    this.#picks = picks;
  }

  /** Whether a message of this type can have such fields at all. */
  appliesTo(schema: DescMessage): boolean {
    const { clear, enter } = this.#plan(schema);
    return clear.length > 0 || enter.length > 0;
  }

  clear(schema: DescMessage, message: Message): void {
    const { clear, enter } = this.#plan(schema);
    for (const field of clear) clearField(message, field);
    for (const field of enter) {
      const value = fieldValue(message, field);
      if (value === undefined) continue;
      const inside = field.fieldKind === "message" ? [value] : Object.values(value as object);
      for (const one of inside) this.clear(field.message as DescMessage, one as Message);
    }
  }

  #plan(schema: DescMessage): Plan {
    const known = this.#plans.get(schema);
    if (known !== undefined) return known;
    // Known as empty while its own fields are looked at: a type that holds itself ends there.
    this.#plans.set(schema, { clear: [], enter: [] });
    const clear = schema.fields.filter(this.#picks);
    const enter = schema.fields.filter((field) => {
      return !this.#picks(field) && field.message !== undefined && this.appliesTo(field.message);
    });
    const plan = { clear, enter };
    this.#plans.set(schema, plan);
    return plan;
  }
}
