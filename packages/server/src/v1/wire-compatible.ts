import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";

/**
 * A translation of messages between versions whose binary encodings are compatible: the same field numbers
 * and types. Throws at startup if they are not.
 */
export function wireCompatible<From extends DescMessage, To extends DescMessage>(
  from: From,
  to: To,
): (message: MessageShape<From>) => MessageShape<To> {
  if (!sameFields(from, to)) throw new Error(`${from} and ${to} differ`);
  return (message) => fromBinary(to, toBinary(from, message), { readUnknownFields: false });
}

function sameFields(one: DescMessage, other: DescMessage): boolean {
  if (one === other) return true;
  if (one.fields.length !== other.fields.length) return false;
  return one.fields.every((field) => {
    const match = other.fields.find(({ number }) => number === field.number);
    return match !== undefined && sameType(field, match);
  });
}

function sameType(one: DescField, other: DescField): boolean {
  const [kinds, otherKinds] = [kindsOf(one), kindsOf(other)];
  if (!kinds.every((kind, at) => kind === otherKinds[at])) return false;
  if (one.enum && other.enum) return sameValues(one.enum, other.enum);
  return one.message === undefined || sameFields(one.message, other.message as DescMessage);
}

/** The type of a field, except for the message or enum that it names. */
function kindsOf(field: DescField): readonly unknown[] {
  const key = field.fieldKind === "map" ? field.mapKey : undefined;
  const repeated = field.fieldKind === "list" || field.fieldKind === "map";
  return [field.fieldKind, field.scalar, key, repeated ? undefined : field.presence];
}

function sameValues(one: DescEnum, other: DescEnum): boolean {
  const numbers = ({ values }: DescEnum) => values.map(({ number }) => number).join();
  return numbers(one) === numbers(other);
}
