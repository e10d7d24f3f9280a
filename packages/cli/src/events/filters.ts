import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type EventFilter, EventFilterSchema } from "@wharf/contract";
import { usageError } from "../errors.ts";
import { readDocument } from "../resource/values.ts";

export interface FilterArgs {
  readonly type: readonly string[];
  readonly filters: string | undefined;
}

/** The filters of --type and --filters; undefined without both. Types may omit their common beginning. */
export async function readFilters({
  type,
  filters,
}: FilterArgs): Promise<EventFilter[] | undefined> {
  if (type.length === 0 && filters === undefined) return undefined;
  const any = type.flatMap((one) => [{ glob: { type: one } }, { glob: { type: `*.${one}` } }]);
  const filterList = filters === undefined ? [] : await readDocument("--filters", filters);
  if (!Array.isArray(filterList)) throw usageError("--filters must be a list of filters");
  const all = [...(any.length === 0 ? [] : [{ any }]), ...filterList] as JsonValue[];
  try {
    return all.map((one) => fromJson(EventFilterSchema, one));
  } catch (error) {
    throw usageError(`--filters: ${(error as Error).message}`);
  }
}
