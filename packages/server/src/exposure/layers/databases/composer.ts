import { isField, licensesOf } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";
import { jsonObject } from "./npm.ts";

/** Reads `vendor/composer/installed.json`: a list, since Composer 2 in a field. */
export function composerPackages(bytes: Buffer): LanguagePackage[] {
  const root = jsonObject(bytes);
  const all = Array.isArray(root) ? root : root.packages;
  if (!Array.isArray(all)) return [];
  return all.flatMap((entry: unknown) => {
    const { name, version, license } = (entry ?? {}) as Record<string, unknown>;
    if (!isField(name) || !isField(version)) return [];
    const licenses = licensesOf(Array.isArray(license) ? license : [license]);
    return [languagePackage("composer", name, version, { licenses })];
  });
}
