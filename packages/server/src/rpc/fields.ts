import type { DescField, Message } from "@bufbuild/protobuf";

interface Choice {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/**
 * The value of a field of a message whose type is known only at run time; undefined where a
 * message, an optional field or a oneof member is not set.
 *
 * @example fieldValue(group, GroupSchema.field.name)
 */
export function fieldValue(message: Message, field: DescField): unknown {
  const object = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) return object[field.localName];
  const choice = object[field.oneof.localName] as Choice;
  return choice.case === field.localName ? choice.value : undefined;
}

/**
 * Sets a field the way the generated messages hold it.
 *
 * @example setField(group, GroupSchema.field.name, "acme")
 */
export function setField(message: Message, field: DescField, value: unknown): void {
  const object = message as unknown as Record<string, unknown>;
  if (field.oneof) object[field.oneof.localName] = { case: field.localName, value };
  else object[field.localName] = value;
}
