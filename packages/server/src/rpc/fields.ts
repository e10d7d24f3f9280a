import type { DescField, Message } from "@bufbuild/protobuf";

interface Choice {
  readonly case: string | undefined;
  readonly value?: unknown;
}

/**
 * Reads a field of a message by its descriptor. Undefined if a message, an optional field or a oneof
 * member is not set.
 */
export function fieldValue(message: Message, field: DescField): unknown {
  const object = message as unknown as Record<string, unknown>;
  if (field.oneof === undefined) return object[field.localName];
  const choice = object[field.oneof.localName] as Choice;
  return choice.case === field.localName ? choice.value : undefined;
}

/** Sets a field of a message by its descriptor. */
export function setField(message: Message, field: DescField, value: unknown): void {
  const object = message as unknown as Record<string, unknown>;
  if (field.oneof) object[field.oneof.localName] = { case: field.localName, value };
  else object[field.localName] = value;
}
