import { isField } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";

/** The version of a module that Go built from a folder without a version. */
const UNVERSIONED = "(devel)";

/** A module that was replaced by a folder, of which nobody knows the version. */
const IS_FOLDER = /^(?:\.{0,2}\/|[A-Za-z]:\\)/;

/** Packages of build information: the standard library, the module of the program, and those that it depends on. */
export function goModules(goVersion: string, lines: string): LanguagePackage[] {
  const found = [...standardLibrary(goVersion)];
  let last: string | undefined;
  for (const line of lines.split("\n")) {
    const [kind, path, version = ""] = line.split("\t");
    const isReplacement = kind === "=>" && last !== undefined;
    if (!isField(path) || !(isReplacement || kind === "mod" || kind === "dep")) {
      last = undefined;
      continue;
    }
    if (isReplacement) found.pop();
    const isFolder = isReplacement && IS_FOLDER.test(path);
    const isVersioned = isField(version) && version !== UNVERSIONED && !isFolder;
    found.push(languagePackage("go", isFolder ? (last ?? path) : path, isVersioned ? version : ""));
    last = path;
  }
  return found;
}

/** `go1.22.1`, which may be followed by experiments, and `devel …` between releases. */
function* standardLibrary(goVersion: string): Generator<LanguagePackage> {
  const [, version] = /^go(\d[\w.]*)(?:$|[ -])/.exec(goVersion) ?? [];
  if (isField(version)) yield languagePackage("go", "stdlib", version);
}
