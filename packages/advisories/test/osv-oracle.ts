/** The parts of an OSV record that say which versions are affected. */
export interface OsvRecord {
  readonly withdrawn?: string;
  readonly affected?: readonly OsvAffected[];
}

export interface OsvAffected {
  readonly package?: { readonly ecosystem: string; readonly name: string };
  readonly ranges?: readonly OsvRange[];
  readonly versions?: readonly string[];
}

export interface OsvRange {
  readonly type: string;
  readonly repo?: string;
  readonly events: readonly Readonly<Record<string, string>>[];
}

/** A package of an ecosystem, or the commits of a repository. */
export type Subject =
  | { readonly ecosystem: string; readonly name: string }
  | { readonly repo: string };

/**
 * For tests: whether a version of a package, or a commit of a repository, is affected, by the evaluation algorithm of
 * the OSV schema. Written from the specification, apart from the readers and writers that it checks.
 */
export function isAffected(record: OsvRecord, subject: Subject, version: string): boolean {
  if (record.withdrawn !== undefined) return false;
  return (record.affected ?? []).some((affected) => {
    if ("repo" in subject) {
      const ranges = (affected.ranges ?? []).filter(
        ({ type, repo }) => type === "GIT" && repo === subject.repo,
      );
      return ranges.some((range) => includes(range, version));
    }
    const { ecosystem, name } = affected.package ?? {};
    if (ecosystem !== subject.ecosystem || name !== subject.name) return false;
    const ranges = (affected.ranges ?? []).filter(({ type }) => type !== "GIT");
    return affected.versions?.includes(version) || ranges.some((range) => includes(range, version));
  });
}

function includes({ events }: OsvRange, version: string): boolean {
  const limits = events.flatMap(({ limit }) => (limit === undefined ? [] : [limit]));
  const isBeforeLimits =
    limits.length === 0 || limits.some((limit) => limit === "*" || compare(version, limit) < 0);
  if (!isBeforeLimits) return false;
  let affected = false;
  const boundOf = (event: Readonly<Record<string, string>>) => Object.values(event)[0] ?? "";
  for (const event of events.toSorted((a, b) => compare(boundOf(a), boundOf(b)))) {
    if (event.introduced !== undefined && compare(version, event.introduced) >= 0) affected = true;
    else if (event.fixed !== undefined && compare(version, event.fixed) >= 0) affected = false;
    else if (event.last_affected !== undefined && compare(version, event.last_affected) > 0) {
      affected = false;
    }
  }
  return affected;
}

/**
 * For tests: the order of versions such as 1.10.2, and of commits, which are hexadecimal numbers here: a linear
 * history. The version 0 precedes all others.
 */
export function compare(one: string, other: string): number {
  if (one === other) return 0;
  if (one === "0" || other === "0") return one === "0" ? -1 : 1;
  const parts = (text: string) =>
    /^[0-9a-f]{40}$/.test(text) ? [Number.parseInt(text, 16)] : text.split(/[.-]/).map(Number);
  const [a, b] = [parts(one), parts(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
