import type { Column } from "../../output/columns.ts";

export interface Failure {
  /** A repository, or a tag of it. */
  readonly name: string;
  readonly reason: string;
}

/** Counts of an import. With a dry run, `copied` is what would be copied. */
export class Tally {
  repos = 0;
  readonly tags = { copied: 0, present: 0 };
  readonly manifests = { copied: 0, present: 0 };
  readonly blobs = { copied: 0, present: 0 };
  /** Bytes of the copied blobs. */
  bytes = 0;
  readonly failures: Failure[] = [];
}

export const TALLY_COLUMNS: readonly Column<Tally>[] = [
  { header: "Repos", value: ({ repos }) => repos },
  { header: "Tags copied", value: ({ tags }) => tags.copied },
  { header: "Tags present", value: ({ tags }) => tags.present },
  { header: "Manifests copied", value: ({ manifests }) => manifests.copied },
  { header: "Blobs copied", value: ({ blobs }) => blobs.copied },
  { header: "Blobs present", value: ({ blobs }) => blobs.present },
  { header: "Bytes", value: ({ bytes }) => bytes },
  { header: "Failed", value: ({ failures }) => failures.length },
];
