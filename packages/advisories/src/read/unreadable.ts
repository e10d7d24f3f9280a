/** One thing that is wrong with a document. */
export interface Problem {
  /** Counted from 1; none where the document as a whole is meant. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Where in its structure, such as `advisories[3].events[0].type`; empty for the whole. */
  readonly path: string;
  readonly reason: string;
}

/**
 * Why a document cannot be read: the one error that readers throw.
 *
 * @example throw new Unreadable([{ line: 3, path: "advisories[0].id", reason: "is missing" }]);
 */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join("\n"));
    this.problems = problems;
  }
}

/**
 * The document as a whole is refused.
 *
 * @example throw unreadable("is larger than 16 MiB");
 */
export function unreadable(reason: string): Unreadable {
  return new Unreadable([{ path: "", reason }]);
}

/** @example problemText({ line: 3, path: "id", reason: "is missing" }) // "3: id: is missing" */
export function problemText({ line, column, path, reason }: Problem): string {
  const place =
    line === undefined ? "" : column === undefined ? `${line}: ` : `${line}:${column}: `;
  return `${place}${path === "" ? "" : `${path}: `}${reason}`;
}

/** Steps from the top of a document to a value in it. */
export type Path = readonly (string | number)[];

/** @example pathText(["advisories", 3, "id"]) // "advisories[3].id" */
export function pathText(path: Path): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}
