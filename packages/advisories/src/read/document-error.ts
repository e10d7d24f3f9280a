/** One problem of a document. */
export interface Problem {
  /** From 1; undefined for the document as a whole. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** The path of the field, such as `advisories[3].events[0].type`; empty for the document as a whole. */
  readonly path: string;
  readonly reason: string;
}

/**
 * Why a document is rejected: the only error that readers throw.
 *
 * @example throw new DocumentError([{ line: 3, path: "advisories[0].id", reason: "is missing" }]);
 */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join("\n"));
    this.problems = problems;
  }
}

/** A document of no supported format. */
export class UnknownFormatError extends DocumentError {}

/**
 * An error about the document as a whole.
 *
 * @example throw documentError("is larger than 16 MiB");
 */
export function documentError(reason: string): DocumentError {
  return new DocumentError([{ path: "", reason }]);
}

/** @example problemText({ line: 3, path: "id", reason: "is missing" }) // "3: id: is missing" */
export function problemText({ line, column, path, reason }: Problem): string {
  const position =
    line === undefined ? "" : column === undefined ? `${line}: ` : `${line}:${column}: `;
  return `${position}${path === "" ? "" : `${path}: `}${reason}`;
}

/** The keys and indexes that lead to a value of a document. */
export type Path = readonly (string | number)[];

/** @example pathText(["advisories", 3, "id"]) // "advisories[3].id" */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}
