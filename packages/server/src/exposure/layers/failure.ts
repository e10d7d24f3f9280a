/** Why an image cannot be read, or a file in it. The codes are stable. */
export const FAILURE_CODES = [
  // Of an image: nothing of it is known.
  "too_many_layers",
  "layer_unavailable",
  "unsupported_media_type",
  "bad_gzip",
  "bad_zstd",
  "not_tar",
  "truncated",
  "header_too_large",
  "layer_too_large",
  "too_many_entries",
  "too_many_links",
  "too_many_packages",
  "timeout",
  "out_of_memory",
  "killed",
  "crashed",
  "answer_too_large",
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** The content of a layer that cannot be read, or exceeds a limit. */
export class LayerFailure extends Error {
  override readonly name = "LayerFailure";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Problems of single files: the rest of the image is known. */
export type ProblemCode =
  | "file_too_large"
  | "malformed"
  | "unsupported_database"
  | "unmerged_log"
  | "unresolved_link"
  | "invalid_path";

/** The content of a file that cannot be read. */
export class FileProblem extends Error {
  override readonly name = "FileProblem";
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
