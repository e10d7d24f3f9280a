import { type DescField, type DescMethod, isFieldSet, type Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../../lib/errors.ts";
import { fieldValue } from "../../rpc/fields.ts";
import { indexable } from "../../store/resources/indexable.ts";
import type { Condition } from "../../store/resources/query.ts";
import type { FilterDefinition, ResourceMessage, TermDefinition } from "../definition.ts";
import type { Resource } from "../resource.ts";

/** Bounds the cost of one list request. */
const MAX_FILTER_VALUES = 1_000;

/** The conditions of a list request on rows, beside their position in the tree. */
export function readFilters<R extends ResourceMessage>(
  { definition }: Resource<R>,
  method: DescMethod,
  request: Message,
): Condition[] {
  const { filters = [], terms = [], textField } = definition.index ?? {};
  const parameterOf = (name: string | undefined): Parameter | undefined => {
    const field = name === undefined ? undefined : method.input.field[name];
    if (field === undefined || !isFieldSet(request, field)) return undefined;
    return { field, value: fieldValue(request, field) };
  };
  const text = parameterOf(textField);
  const prefix = parameterOf("namePrefix");
  return [
    ...filters.flatMap((one) => ofColumn(one, parameterOf(one.field))),
    ...(prefix === undefined ? [] : [{ column: "name", prefix: prefix.value as string } as const]),
    ...terms.flatMap((one) => ofTerms(one, parameterOf)),
    ...(text === undefined ? [] : [{ text: text.value as string }]),
  ];
}

/** A field that the request sets, and its value. */
interface Parameter {
  readonly field: DescField;
  readonly value: unknown;
}

function ofColumn<R>(
  { column, isBound }: FilterDefinition<R>,
  parameter: Parameter | undefined,
): Condition[] {
  if (parameter === undefined) return [];
  if (!isBound) return [{ column, value: parameter.value as string | number }];
  const time = millisecondsOf(parameter.value as Timestamp);
  // Stored times are whole milliseconds.
  const after = isBound === "inclusive" ? Math.ceil(time) - 1 : Math.floor(time);
  return [{ column: column as "updated", after }];
}

function millisecondsOf({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}

function ofTerms<R>(
  { kind, field, overriddenBy: insteadBy, excludedBy }: TermDefinition<R>,
  parameterOf: (name: string | undefined) => Parameter | undefined,
): Condition[] {
  const instead = parameterOf(insteadBy?.field);
  const included = instead ?? parameterOf(field);
  const includedKind = (instead && insteadBy?.kind) ?? kind;
  const excluded = parameterOf(excludedBy);
  return [
    ...(included ? [{ kind: includedKind, anyOf: valuesOf(included), excluded: false }] : []),
    ...(excluded ? [{ kind, anyOf: valuesOf(excluded), excluded: true }] : []),
  ];
}

function valuesOf({ field, value }: Parameter): string[] {
  const values = [...new Set([value].flat().map(String))];
  if (values.length > MAX_FILTER_VALUES) {
    const description = `${field.jsonName} must have at most ${MAX_FILTER_VALUES} values`;
    throw invalidArgument({ field: field.jsonName, description });
  }
  return values.map(indexable).sort();
}
