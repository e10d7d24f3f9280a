import { joined, part, type SqlPart } from "../sql-part.ts";

/** A package as a caller names it: by a name, or by a package URL. */
export type PackageFilter =
  | {
      readonly name: string;
      /** The name as it is stored in ecosystems that write it in another way. */
      readonly canonical: readonly (readonly [ecosystem: string, name: string])[];
    }
  | PackageUrlFilter;

export interface PackageUrlFilter {
  /** Without qualifiers. */
  readonly purl: string;
  readonly name: string;
  /** Undefined if records of no ecosystem apply to the package. */
  readonly ecosystem: string | undefined;
  /** Empty for all. */
  readonly version: string;
}

/**
 * Selects the ids of the versions of a package. They are few: whatever has them is found by them, rather than asked for its
 * version. Each index is a SELECT of its own, as none has both names. A name is also that of the source package.
 */
export function versionsNamed(filter: PackageFilter): SqlPart {
  if ("purl" in filter) return versionsWithUrl(filter);
  const { name, canonical } = filter;
  const selects = [
    part("name = ?", name),
    part("origin = ? AND origin <> ''", name),
    ...canonical.map(([ecosystem, one]) => part("name = ? AND ecosystem = ?", one, ecosystem)),
  ];
  return joined(selects.map(selectOf), " UNION ");
}

/**
 * SBOMs write one package URL in several ways, so the name and the ecosystem decide. Packages that somebody else built
 * are of no ecosystem: their package URL must begin with the text.
 */
function versionsWithUrl({ purl, name, ecosystem, version }: PackageUrlFilter): SqlPart {
  const begins = (end: string) => part("substr(purl, 1, ?) = ?", purl.length + 1, purl + end);
  const written = [part("purl = ?", purl), begins("@"), begins("?"), begins("#")];
  const conditions = ecosystem === undefined ? [] : [ofEcosystem(ecosystem, version)];
  const { sql, params } = joined([...conditions, ...written], " OR ");
  return selectOf(part(`name = ? AND (${sql})`, name, ...params));
}

function ofEcosystem(ecosystem: string, version: string): SqlPart {
  if (version === "") return part("ecosystem = ?", ecosystem);
  return part("(ecosystem = ? AND version = ?)", ecosystem, version);
}

function selectOf({ sql, params }: SqlPart): SqlPart {
  return { sql: `SELECT id FROM package_versions WHERE ${sql}`, params };
}
