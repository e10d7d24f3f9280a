/**
 * Bounds of what a request may contain, beside its size: each entry and each key costs far more time than its bytes.
 * JSON and protobuf have the same ones.
 */
import type { DescField } from "@bufbuild/protobuf";
import { invalidArgument, type WharfError } from "../lib/errors.ts";
import { maxEntriesOf, tooManyEntries } from "./validate.ts";

/** Entries of all lists and maps: twice what the largest imports contain. */
const MAX_ENTRIES = 100_000;

/** Unknown fields: as many as a request can have advisories, so that newer clients can set one in each. */
const MAX_UNKNOWN_FIELDS = 10_000;

/** Counts the entries and unknown fields of one request. */
export class RequestBounds {
  #entries = 0;
  #unknown = 0;

  /**
   * Counts the nth entry of a list or map. Rejects those beyond `max_size`, unless the field is left to the validation
   * of the method, such as in one of several documents: imports reject single ones.
   */
  countEntry(field: DescField, count: number, path: string, isValidatedLater: boolean): void {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) {
      throw invalid("", `the request must have at most ${MAX_ENTRIES} entries in all lists`);
    }
    const max = maxEntriesOf(field);
    if (count > max && !isValidatedLater) throw invalid(path, tooManyEntries(field, max));
  }

  countUnknown(): void {
    this.#unknown += 1;
    if (this.#unknown > MAX_UNKNOWN_FIELDS) {
      throw invalid("", `the request must have at most ${MAX_UNKNOWN_FIELDS} unknown fields`);
    }
  }
}

function invalid(field: string, description: string): WharfError {
  return invalidArgument({ field, description });
}
