import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import { DocumentError, type Path, type Problem, pathText } from "./document-error.ts";
import { READ_LIMITS, type ReadLimits } from "./limits.ts";
import { isZeroTime, parseTime } from "./time.ts";
import type { Tree } from "./tree.ts";

/** Collects problems while reading continues, so that one error reports all of them. */
class Problems {
  readonly limits: ReadLimits;
  readonly reported: Report[] = [];
  /** Corrections made while reading. */
  readonly warnings: Report[] = [];
  count = 0;

  constructor(limits: ReadLimits) {
    this.limits = limits;
  }

  add(path: Path, reason: string): void {
    this.count++;
    if (this.reported.length < this.limits.problems) this.reported.push({ path, reason });
  }

  warn(path: Path, reason: string): void {
    if (this.warnings.length < this.limits.problems) this.warnings.push({ path, reason });
  }
}

interface Report {
  readonly path: Path;
  readonly reason: string;
}

/** Reports with their positions in the text. */
function located(reports: readonly Report[], tree: Tree): Problem[] {
  const positions = tree.positionsOf(reports.map(({ path }) => path));
  return reports.map(({ path, reason }, index) => ({
    ...positions[index],
    path: pathText(path),
    reason,
  }));
}

/**
 * A node of a parsed document. Its methods return values of the requested type, and record a problem if the
 * node has another type or exceeds a limit. An empty string counts as absent.
 */
export class DocumentNode {
  readonly value: unknown;
  readonly #problems: Problems;
  readonly #parent: DocumentNode | undefined;
  readonly #step: string | number;

  private constructor(
    value: unknown,
    problems: Problems,
    parent?: DocumentNode,
    step: string | number = "",
  ) {
    this.value = value;
    this.#problems = problems;
    this.#parent = parent;
    this.#step = step;
  }

  /**
   * Reads a document from its root. Throws a DocumentError with all problems that were recorded; if there are none,
   * `onWarning` gets what was corrected.
   *
   * @example DocumentNode.read(parseTree(text), (top) => top.field("id").requiredString())
   */
  static read<T>(
    tree: Tree,
    reader: (top: DocumentNode) => T,
    limits: ReadLimits = READ_LIMITS,
    onWarning?: (warning: Problem) => void,
  ): T {
    const recorded = new Problems(limits);
    const result = reader(new DocumentNode(tree.value, recorded));
    if (recorded.count === 0) {
      if (onWarning !== undefined && recorded.warnings.length > 0) {
        for (const warning of located(recorded.warnings, tree)) onWarning(warning);
      }
      return result;
    }
    const problems = located(recorded.reported, tree);
    const more = recorded.count - problems.length;
    throw new DocumentError(
      more === 0 ? problems : [...problems, { path: "", reason: `has ${more} more problems` }],
    );
  }

  get limits(): ReadLimits {
    return this.#problems.limits;
  }

  get path(): Path {
    return this.#parent === undefined ? [] : [...this.#parent.path, this.#step];
  }

  get isPresent(): boolean {
    return this.value !== undefined && this.value !== null && this.value !== "";
  }

  addProblem(reason: string): void {
    this.#problems.add(this.path, reason);
  }

  addWarning(reason: string): void {
    this.#problems.warn(this.path, reason);
  }

  /** A node with another value at the same path, for a value that is combined from several nodes. */
  withValue(value: unknown): DocumentNode {
    return new DocumentNode(value, this.#problems, this.#parent, this.#step);
  }

  /** A member of an object; an absent node if there is none. */
  field(name: string): DocumentNode {
    const { value } = this;
    const has = isObject(value) && Object.hasOwn(value, name);
    return new DocumentNode(has ? value[name] : undefined, this.#problems, this, name);
  }

  /** Whether it is an object; a problem if it is anything else or absent. */
  requireObject(): boolean {
    if (isObject(this.value)) return true;
    this.addProblem(this.isPresent ? `must be an object, not ${kindOf(this.value)}` : "is missing");
    return false;
  }

  /** The entries of a list; none if it is absent. */
  items(limit: keyof ReadLimits): DocumentNode[] {
    const max = this.limits[limit];
    if (!this.isPresent) return [];
    if (!Array.isArray(this.value)) {
      this.addProblem(`must be a list, not ${kindOf(this.value)}`);
      return [];
    }
    if (this.value.length > max) {
      this.addProblem(`has ${this.value.length} entries; the maximum is ${max}`);
      return [];
    }
    return this.value.map((one, index) => new DocumentNode(one, this.#problems, this, index));
  }

  /** A name, an id or a version. */
  requiredString(limit: keyof ReadLimits = "nameLength"): string {
    if (!this.isPresent) this.addProblem("is missing");
    return this.#string(this.limits[limit]);
  }

  optionalString(): string {
    return this.#string(this.limits.nameLength);
  }

  /** A package URL, or an id made of package URLs. */
  optionalUrl(): string {
    return this.#string(this.limits.urlLength);
  }

  /** The path of a component within its artifact; empty if unset. */
  optionalLocation(): string {
    return this.#string(this.limits.locationLength);
  }

  /** Free text. */
  optionalText(maxLength: number = this.limits.textLength): string {
    return this.#string(maxLength);
  }

  uniqueStrings(count: keyof ReadLimits, length: keyof ReadLimits = "nameLength"): string[] {
    const texts = this.items(count).map((item) => [item, item.requiredString(length)] as const);
    const seen = new Set<string>();
    for (const [item, text] of texts) {
      if (seen.has(text)) item.addProblem(`${quoted(text)} occurs twice`);
      seen.add(text);
    }
    return [...seen];
  }

  /** Names of a vulnerability, each once. */
  names(): string[] {
    const seen = new Set<string>();
    for (const item of this.items("aliases")) {
      const name = item.requiredString();
      if (seen.has(name)) item.addWarning(`${quoted(name)} occurs twice; it counts once`);
      if (name !== "") seen.add(name);
    }
    return [...seen];
  }

  /** A time, unset if it is in the future: then the clock of the author was wrong. */
  pastTime(): Timestamp | undefined {
    const time = this.optionalTime();
    if (time === undefined || timestampMs(time) <= Date.now()) return time;
    this.addWarning(`${quoted(String(this.value))} is in the future; it counts as not given`);
    return undefined;
  }

  requiredTime(): Timestamp | undefined {
    if (!this.isPresent || this.isZeroTime) this.addProblem("is missing");
    return this.optionalTime();
  }

  get isZeroTime(): boolean {
    return typeof this.value === "string" && isZeroTime(this.value);
  }

  /** The zero time counts as absent. */
  optionalTime(): Timestamp | undefined {
    const text = this.optionalString();
    if (text === "" || isZeroTime(text)) return undefined;
    const time = parseTime(text);
    if (time === undefined) {
      this.addProblem(`must be a time such as 2026-01-31T12:00:00Z, not ${quoted(text)}`);
    }
    return time;
  }

  /** The value that a required keyword maps to. */
  oneOf<T>(choices: ReadonlyMap<string, T>): T | undefined {
    const keyword = this.requiredString();
    const chosen = choices.get(keyword);
    if (keyword !== "" && chosen === undefined) {
      this.addProblem(`must be one of ${[...choices.keys()].join(", ")}, not ${quoted(keyword)}`);
    }
    return chosen;
  }

  #string(maxLength: number): string {
    const { value } = this;
    if (value === undefined || value === null) return "";
    const problem =
      typeof value === "string"
        ? stringProblem(value, maxLength)
        : `must be text, not ${kindOf(value)}`;
    if (problem === undefined) return value as string;
    this.addProblem(problem);
    return "";
  }
}

/** Databases and other programs accept neither NUL nor lone surrogates. */
function stringProblem(text: string, maxLength: number): string | undefined {
  if (text.length > maxLength) {
    return `has ${text.length} characters; the maximum is ${maxLength}`;
  }
  if (text.includes("\0")) return "has a NUL character";
  return text.isWellFormed() ? undefined : "has a lone surrogate";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return value === null ? "null" : "an object";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

/** @example quoted("a long …") */
export function quoted(text: string): string {
  return JSON.stringify(truncated(text));
}

/** The beginning of a text, for error messages: the text may have megabytes. */
export function truncated(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
