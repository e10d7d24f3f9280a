import { hash } from "node:crypto";
import { clearField, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { fieldValue } from "../rpc/fields.ts";

/** To be incremented when the JSON encoding of resources changes while their schema does not. */
const ENCODER_VERSION = 1;

/** A number that changes whenever the schema of a message does, nested messages included. */
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
  const digest = hash("sha256", `${ENCODER_VERSION} ${describe(schema)}`, "buffer");
  return digest.readUInt32BE();
}

/** Which fields of a message to clear, and which to descend into. */
interface Plan {
  readonly clear: readonly DescField[];
  readonly enter: readonly DescField[];
}

/** Clears the fields of messages that match a predicate, at any depth. */
export class FieldRemover {
  readonly #matches: (field: DescField) => boolean;
  readonly #plans = new Map<DescMessage, Plan>();

  constructor(matches: (field: DescField) => boolean) {
    this.#matches = matches;
  }

  /** Whether a message of this type can have such fields. */
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
    const cached = this.#plans.get(schema);
    if (cached !== undefined) return cached;
    // An empty plan while its fields are inspected ends the recursion of recursive types.
    this.#plans.set(schema, { clear: [], enter: [] });
    const clear = schema.fields.filter(this.#matches);
    const enter = schema.fields.filter((field) => {
      return !this.#matches(field) && field.message !== undefined && this.appliesTo(field.message);
    });
    const plan = { clear, enter };
    this.#plans.set(schema, plan);
    return plan;
  }
}
