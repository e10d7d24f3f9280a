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
  const given = (name: string | undefined): Given | undefined => {
    const field = name === undefined ? undefined : method.input.field[name];
    if (field === undefined || !isFieldSet(request, field)) return undefined;
    return { field, value: fieldValue(request, field) };
  };
  const text = given(textField);
  const prefix = given("namePrefix");
  return [
    ...filters.flatMap((one) => ofColumn(one, given(one.field))),
    ...(prefix === undefined ? [] : [{ column: "name", prefix: prefix.value as string } as const]),
    ...terms.flatMap((one) => ofTerms(one, given)),
    ...(text === undefined ? [] : [{ text: text.value as string }]),
  ];
}

/** A field that the request sets, and its value. */
interface Given {
  readonly field: DescField;
  readonly value: unknown;
}

function ofColumn<R>(
  { column, isBound }: FilterDefinition<R>,
  given: Given | undefined,
): Condition[] {
  if (given === undefined) return [];
  if (!isBound) return [{ column, value: given.value as string | number }];
  const time = millisecondsOf(given.value as Timestamp);
  // Stored times are whole milliseconds.
  const after = isBound === "inclusive" ? Math.ceil(time) - 1 : Math.floor(time);
  return [{ column: column as "updated", after }];
}

function millisecondsOf({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}

function ofTerms<R>(
  { kind, field, overriddenBy: insteadBy, excludedBy }: TermDefinition<R>,
  given: (name: string | undefined) => Given | undefined,
): Condition[] {
  const instead = given(insteadBy?.field);
  const wanted = instead ?? given(field);
  const wantedKind = (instead && insteadBy?.kind) ?? kind;
  const unwanted = given(excludedBy);
  return [
    ...(wanted ? [{ kind: wantedKind, anyOf: valuesOf(wanted), excluded: false }] : []),
    ...(unwanted ? [{ kind, anyOf: valuesOf(unwanted), excluded: true }] : []),
  ];
}

function valuesOf({ field, value }: Given): string[] {
  const values = [...new Set([value].flat().map(String))];
  if (values.length > MAX_FILTER_VALUES) {
    const description = `${field.jsonName} must have at most ${MAX_FILTER_VALUES} values`;
    throw invalidArgument({ field: field.jsonName, description });
  }
  return values.map(indexable).sort();
}
