import { formatPackageUrl } from "@wharf/advisories/package-url";
import type { DatabaseKind } from "../inventory.ts";

/** A package of a programming language: its purl does not depend on the distribution. */
export interface LanguagePackage {
  readonly purl: string;
  readonly database: DatabaseKind;
  readonly name: string;
  /** As its ecosystem compares it: with the epoch. Empty if it is unknown, as of a Go program that was built untagged. */
  readonly version: string;
  readonly licenses: readonly string[];
}

/** The types of package URLs of languages. */
const TYPES = {
  npm: "npm",
  python: "pypi",
  go: "golang",
  java: "maven",
  gem: "gem",
  composer: "composer",
} as const;

/**
 * @param name As the ecosystem writes it.
 * @param path The name in a package URL, with its namespace.
 */
export function languagePackage(
  database: keyof typeof TYPES,
  name: string,
  version: string,
  options: {
    readonly licenses?: readonly string[];
    readonly segments?: readonly string[];
    readonly qualifiers?: ReadonlyMap<string, string>;
  } = {},
): LanguagePackage {
  const { licenses = [], segments = name.split("/"), qualifiers } = options;
  const url = { type: TYPES[database], segments, version, ...(qualifiers && { qualifiers }) };
  return { purl: formatPackageUrl(url), database, name, version, licenses };
}
