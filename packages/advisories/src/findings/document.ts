/** The parts of documents besides findings. */
export interface DocumentOrigin {
  readonly time: Date;
  /** The host of the registry that has the images. */
  readonly registry: string;
  /** The version of Wharf that writes the document. */
  readonly version: string;
}

/**
 * There are no findings, and the format has no valid document without one.
 *
 * @example throw new NoFindingsError("an OpenVEX document has at least one statement");
 */
export class NoFindingsError extends Error {
  override readonly name = "NoFindingsError";

  constructor(rule: string) {
    super(`there are no findings: ${rule}`);
  }
}

/**
 * Values without repetitions, which the schemas of OpenVEX and CycloneDX forbid: a package that is in several places of an
 * image has a finding for each.
 */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}
