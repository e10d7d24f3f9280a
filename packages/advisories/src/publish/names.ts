import type { Advisory } from "@wharf/contract/messages";

const CVE = /^CVE-[0-9]{4}-[0-9]{4,}$/;

/** What a vulnerability is called: the name that most know it by, and all others. */
export interface VulnerabilityName {
  readonly name: string;
  readonly others: readonly string[];
}

/** @example isCve("CVE-2026-0001") // true */
export function isCve(name: string): boolean {
  return CVE.test(name);
}

/**
 * The names of the vulnerability that an advisory is about, the CVE first; the advisory's own id is
 * the last, and the only one where nobody else has given it a name.
 *
 * @example vulnerabilityName(advisory) // { name: "CVE-2026-0001", others: ["GHSA-…", "CGA-…"] }
 */
export function vulnerabilityName({ aliases, advisoryId }: Advisory): VulnerabilityName {
  const known = [...new Set(aliases)]
    .filter((alias) => alias !== "" && alias !== advisoryId)
    .sort();
  const [name = advisoryId, ...others] = [
    ...known.filter(isCve),
    ...known.filter((alias) => !isCve(alias)),
    advisoryId,
  ];
  return { name, others };
}

/** The package that an advisory's artifact is: what documents that are written per package are about. */
export interface PackageKey {
  readonly type: string;
  readonly name: string;
}

export function packageOf({ artifactType, artifactName }: Advisory): PackageKey {
  return { type: artifactType, name: artifactName };
}

/**
 * Advisories that stand next to each other and are about the same package, together.
 *
 * @example for await (const advisories of byPackage(sortedByArtifact)) …
 */
export async function* byPackage(
  sorted: AsyncIterable<Advisory> | Iterable<Advisory>,
): AsyncGenerator<readonly [Advisory, ...Advisory[]]> {
  let group: [Advisory, ...Advisory[]] | undefined;
  for await (const advisory of sorted) {
    const same =
      group?.[0].artifactName === advisory.artifactName &&
      group[0].artifactType === advisory.artifactType;
    if (group !== undefined && same) group.push(advisory);
    else {
      if (group !== undefined) yield group;
      group = [advisory];
    }
  }
  if (group !== undefined) yield group;
}
