import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";

/**
 * Turns messages of one version into those of the other, where both have the same fields under the
 * same numbers. Refuses to exist where they have not.
 *
 * @example const oidcV2 = alike(identityProvidersV1.IdentityProvider_OIDCSchema, IdentityProvider_OIDCSchema);
 */
export function alike<From extends DescMessage, To extends DescMessage>(
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

/** Everything about a field's type but which message or enum it names. */
function kindsOf(field: DescField): readonly unknown[] {
  const key = field.fieldKind === "map" ? field.mapKey : undefined;
  const repeated = field.fieldKind === "list" || field.fieldKind === "map";
  return [field.fieldKind, field.scalar, key, repeated ? undefined : field.presence];
}

function sameValues(one: DescEnum, other: DescEnum): boolean {
  const numbers = ({ values }: DescEnum) => values.map(({ number }) => number).join();
  return numbers(one) === numbers(other);
}
