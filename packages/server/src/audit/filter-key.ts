import type { Message } from "@bufbuild/protobuf";

/** A filter as text that distinguishes queries. */
export function filterKey(filter: Message | undefined): string {
  return JSON.stringify(filter ?? {}, (_key, value) => {
    return typeof value === "bigint" ? String(value) : value;
  });
}
