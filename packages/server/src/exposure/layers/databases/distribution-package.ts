import type { DatabaseKind, PackageOrigin } from "../inventory.ts";

/** A package as a distribution's database lists it. Its purl needs the release as well. */
export interface DistributionPackage {
  readonly database: Extract<DatabaseKind, "apk" | "dpkg" | "rpm">;
  readonly name: string;
  /** With the epoch, if there is one. */
  readonly version: string;
  readonly architecture: string;
  readonly origin: PackageOrigin | undefined;
  readonly licenses: readonly string[];
  /** Further qualifiers of its purl. */
  readonly qualifiers: Readonly<Record<string, string>>;
  /** Of its files, those that the reader asked for. */
  readonly files: readonly string[];
}

/** Whether a path is one whose owner matters. Paths have no leading slash. */
export type IsOwnedFile = (path: string) => boolean;

/** The largest field: names and versions of real packages have less than 200 characters. */
const MAX_FIELD_CHARS = 512;

/** Whether a text can be the name or version of a package. */
export function isField(text: unknown): text is string {
  return typeof text === "string" && text !== "" && text.length <= MAX_FIELD_CHARS;
}

/** Licenses as they are displayed: expressions, or names. */
export function licensesOf(texts: readonly unknown[]): string[] {
  const found = texts.filter((text) => typeof text === "string").map((text) => text.trim());
  return [...new Set(found)].filter(isField).slice(0, MAX_LICENSES);
}

const MAX_LICENSES = 20;
