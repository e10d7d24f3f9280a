/** The reasons to reject a document. They are stored and shown: a code never changes its meaning. */
export const REFUSALS = [
  "too_large",
  "too_deep",
  "too_many_components",
  "too_many_edges",
  "too_many_statements",
  "too_many_values",
  "text_too_long",
  "invalid_text",
  "not_json",
  "not_utf8",
  "xml",
  "tag_value",
  "spdx3",
  "unknown_format",
  "unsupported_version",
  "malformed",
  "attestation",
  "invalid_payload",
  "wrong_subject",
] as const;

export type Refusal = (typeof REFUSALS)[number];

/** Rejection of a document: the only error that readers of this folder throw for what a document contains. */
export class SbomRefused extends Error {
  override readonly name = "SbomRefused";
  readonly code: Refusal;

  constructor(code: Refusal, message: string) {
    super(message);
    this.code = code;
  }
}
