import type { DistributionPackage } from "./databases/distribution-package.ts";
import { distributionPurl } from "./databases/distribution-purl.ts";
import { Distribution } from "./distribution.ts";
import { LayerFailure } from "./failure.ts";
import type { LayerPackage, ReadInventory } from "./inventory.ts";
import { Owners } from "./owners.ts";
import type { ImageReader } from "./read-image.ts";

/** The inventory of an image whose layers were read. */
export function assemble(
  reader: ImageReader,
  maxPackages: number,
): Omit<ReadInventory, "outcome" | "foreignLayers"> {
  const { files } = reader;
  const distribution = new Distribution(files, (problem, path) => reader.report(problem, path));
  const owners = new Owners(languagePaths(reader), files.links);
  const packages: LayerPackage[] = [];
  const purls = new Map<string, string>();
  for (const [found, path] of distribution.packages(owners.isOwned)) {
    if (packages.length >= maxPackages) {
      throw new LayerFailure("too_many_packages", `more than ${maxPackages} packages`);
    }
    const purl = distributionPurl(found, distribution.release);
    for (const file of found.files) owners.add(file, purl);
    if (found.database === "dpkg") addNames(purls, found, purl);
    const { database, name, version, origin, licenses } = found;
    packages.push({ purl, database, name, version, licenses, ...(origin && { origin }), path });
  }
  for (const [name, architecture, listed] of distribution.lists(owners.hasLength)) {
    const purl = purls.get(architecture === "" ? name : `${name}:${architecture}`);
    if (purl !== undefined) for (const file of listed) owners.add(file, purl);
  }
  let jarsWithoutCoordinates = 0;
  for (const [path, content] of files) {
    if (content.kind === "problem") reader.report(content.problem, path);
    if (content.kind !== "packages") continue;
    jarsWithoutCoordinates += content.unknown;
    const ownedBy = owners.of(path);
    for (const found of content.packages)
      packages.push({ ...found, path, ...(ownedBy && { ownedBy }) });
  }
  const { problems, problemCount } = reader;
  return {
    release: distribution.release,
    packages,
    problems,
    problemCount,
    jarsWithoutCoordinates,
  };
}

function* languagePaths(reader: ImageReader): Generator<string> {
  for (const [path, { kind }] of reader.files) if (kind === "packages") yield path;
}

function addNames(purls: Map<string, string>, found: DistributionPackage, purl: string): void {
  purls.set(found.name, purl).set(`${found.name}:${found.architecture}`, purl);
}
