import type { Reader } from "../../store/db/connection.ts";
import { findExisting } from "../../store/tables/registry/blobs.ts";
import { listedParts } from "../../store/tables/registry/uploads.ts";
import type { ContentRows } from "./content-storage.ts";
import { boundFolder } from "./folder-id.ts";

/** Answers of a store about the stored content. */
export function contentRows(reader: Reader): ContentRows {
  return {
    folder: () => boundFolder(reader),
    parts: () => listedParts(reader),
    blobs: (digests) => findExisting(reader, digests),
  };
}
