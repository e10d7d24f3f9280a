import {
  type DistributionPackage,
  type IsOwnedFile,
  isField,
  licensesOf,
} from "./distribution-package.ts";
import { linesOf } from "./lines.ts";

/**
 * The packages of `lib/apk/db/installed`: records of lines that begin with a letter and a colon, separated by empty lines.
 * `F:` names a folder, and `R:` a file in the last one.
 */
export function* apkPackages(bytes: Buffer, isOwned: IsOwnedFile): Generator<DistributionPackage> {
  let fields = new Map<string, string>();
  let files: string[] = [];
  let folder = "";
  for (const line of linesOf(bytes)) {
    const [letter, value] = [line[0] ?? "", line.slice(2)];
    if (line === "") {
      yield* packageOf(fields, files);
      [fields, files, folder] = [new Map(), [], ""];
    } else if (line[1] !== ":") continue;
    else if (letter === "F") folder = value;
    else if (letter === "R") {
      const path = folder === "" ? value : `${folder}/${value}`;
      if (isOwned(path)) files.push(path);
    } else if (FIELDS.has(letter)) fields.set(letter, value);
  }
  yield* packageOf(fields, files);
}

/** Name, version, architecture, license and origin. */
const FIELDS: ReadonlySet<string> = new Set(["P", "V", "A", "L", "o"]);

function* packageOf(
  fields: ReadonlyMap<string, string>,
  files: readonly string[],
): Generator<DistributionPackage> {
  const [name, version] = [fields.get("P"), fields.get("V")];
  if (!isField(name) || !isField(version)) return;
  const [architecture = "", origin] = [fields.get("A"), fields.get("o")];
  yield {
    database: "apk",
    name,
    version,
    architecture,
    // All packages of an origin are built at once, with its version.
    origin: isField(origin) ? { name: origin, version } : undefined,
    licenses: licensesOf([fields.get("L")]),
    qualifiers: isField(origin) && origin !== name ? { upstream: origin } : {},
    files,
  };
}
