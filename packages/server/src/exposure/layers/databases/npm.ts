import { FileProblem } from "../failure.ts";
import { isField, licensesOf } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";

/** An installed package: the package.json of its folder, not those of folders below. */
export const NPM_PATH = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@][^/]*\/package\.json$/;

/** Reads a package.json. Those without a name and a version only describe a folder. */
export function npmPackages(bytes: Buffer): LanguagePackage[] {
  const { name, version, license, licenses } = jsonObject(bytes);
  if (!isField(name) || !isField(version)) return [];
  const all = [license, ...(Array.isArray(licenses) ? licenses : [])];
  const texts = all.map((each) => (each as { type?: unknown } | null)?.type ?? each);
  return [languagePackage("npm", name, version, { licenses: licensesOf(texts) })];
}

/** Parses a JSON object, which may begin with a byte order mark. */
export function jsonObject(bytes: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
    if (typeof parsed === "object" && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // Below.
  }
  throw new FileProblem("malformed", "it is no JSON object");
}
