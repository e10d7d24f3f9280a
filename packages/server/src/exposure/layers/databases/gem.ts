import { isField, licensesOf } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";

export const GEM_PATH = /(?:^|\/)specifications\/(?:default\/)?[^/]+\.gemspec$/;

const LICENSES = /^\s*s\.licenses? = (.+)$/m;

/** Reads an installed gemspec: RubyGems writes `# stub: NAME VERSION PLATFORM PATHS` above the code. */
export function gemPackages(bytes: Buffer): LanguagePackage[] {
  const text = bytes.toString("utf8", 0, Math.min(bytes.length, MAX_BYTES));
  const [, name = textOf(text, "name"), version = textOf(text, "version"), platform = ""] =
    /^# stub: (\S+) (\S+) (\S+)/m.exec(text) ?? [];
  if (!isField(name) || !isField(version)) return [];
  const quoted = LICENSES.exec(text)?.[1]?.matchAll(/"([^"]*)"/g) ?? [];
  const licenses = licensesOf([...quoted].map(([, license]) => license));
  const qualifiers = new Map([["platform", platform === "ruby" ? "" : platform]]);
  return [languagePackage("gem", name, version, { licenses, qualifiers })];
}

/** The limit for one specification: the fields are at its start. */
const MAX_BYTES = 64 * 1024;

function textOf(text: string, field: "name" | "version"): string | undefined {
  return new RegExp(`^\\s*s\\.${field} = "([^"]*)"`, "m").exec(text)?.[1];
}
