/** JSON objects between their plain form and google.protobuf.Struct as grpc-js has it. */

export interface Struct {
  readonly fields: Readonly<Record<string, Value>>;
}

interface Value {
  /** The name of the member that is set. */
  readonly kind?: string;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values: readonly Value[] };
}

/** @example toStruct({ a: 1 }) // { fields: { a: { numberValue: 1 } } } */
export function toStruct(object: object): Struct {
  return {
    fields: Object.fromEntries(Object.entries(object).map(([name, one]) => [name, toValue(one)])),
  };
}

function toValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } };
  if (typeof value === "object") return { structValue: toStruct(value) };
  return { [`${typeof value === "boolean" ? "bool" : typeof value}Value`]: value };
}

/** @example structFrom({ fields: { a: { kind: "numberValue", numberValue: 1 } } }) // { a: 1 } */
export function structFrom({ fields }: Struct): object {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, valueFrom(one)]));
}

function valueFrom(value: Value): unknown {
  if (value.structValue) return structFrom(value.structValue);
  if (value.listValue) return value.listValue.values.map(valueFrom);
  return value.kind === "nullValue" ? null : value[value.kind as keyof Value];
}
