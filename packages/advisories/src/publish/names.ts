import type { Advisory } from "@wharf/contract/messages";

const CVE = /^CVE-[0-9]{4}-[0-9]{4,}$/;

/** The preferred name of a vulnerability, and its other names. */
export interface VulnerabilityName {
  readonly name: string;
  readonly others: readonly string[];
}

/** @example isCve("CVE-2026-0001") // true */
export function isCve(name: string): boolean {
  return CVE.test(name);
}

/**
 * The names of an advisory's vulnerability: CVEs first, then other aliases, then the advisory id, which is the
 * only name if there are no aliases.
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

/** The package of an advisory's artifact, by which documents are grouped. */
export interface PackageKey {
  readonly type: string;
  readonly name: string;
}

export function packageOf({ artifactType, artifactName }: Advisory): PackageKey {
  return { type: artifactType, name: artifactName };
}

/**
 * Groups consecutive advisories of the same package.
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
