import { type EdgeList, isImage, PackageList } from "./package-list.ts";
import type { Edge, Origin, Sbom } from "./sbom.ts";
import type { SpdxElement } from "./spdx-element.ts";

/** The build file of an apk, whose name is that of the origin: `openssl.yaml`, `openssl.melange.yaml`. */
const BUILD_FILE = /^(?:.*\/)?([^/]+?)(?:\.melange)?\.ya?ml$/;

/** The parts of an SPDX document, with the tool that wrote it. */
interface SpdxParts {
  readonly elements: readonly SpdxElement[];
  readonly edges: EdgeList;
  readonly roots: readonly string[];
  readonly tool: string | undefined;
}

/** Separates the packages of an SPDX document from images, layers, operating systems and sources. */
export function spdxContents(
  parts: SpdxParts,
): Pick<Sbom, "operatingSystem" | "packages" | "edges" | "roots" | "withoutPurl" | "invalidPurls"> {
  const { elements, edges, roots } = parts;
  const system = elements.find(isOperatingSystem);
  const list = packagesOf(parts);
  return {
    operatingSystem: system && { id: system.name, version: system.version },
    packages: list.packages,
    edges: edges.between(list, roots),
    roots,
    withoutPurl: list.withoutPurl,
    invalidPurls: list.invalidPurls,
  };
}

function packagesOf({ elements, edges: { edges }, roots, tool }: SpdxParts): PackageList {
  const origins = originsIn(edges, elements);
  const isInstalled = installedBy(edges, tool);
  const above = new Set(roots);
  const list = new PackageList();
  for (const one of elements) {
    const { ref, name, version, purl } = one;
    if (!isInstalled(ref) || isOperatingSystem(one)) continue;
    if (one.purpose === "CONTAINER" || (purl !== undefined && isImage(purl))) continue;
    const mayLackPurl = !one.isGroup && one.purpose !== "FILE" && !above.has(ref);
    if (purl === undefined && !mayLackPurl) continue;
    const { licenses, description, origin = origins.get(ref) } = one;
    list.add({ ref, name, version, purl, licenses, origin, description });
  }
  return list;
}

/**
 * apko lists packages, their build files and upstream sources alike: only packages are contained in the image. Other
 * tools do not say of each package that it is contained; there, all but sources count.
 */
function installedBy(edges: readonly Edge[], tool = ""): (ref: string) => boolean {
  const targets = (...types: readonly string[]) =>
    new Set(edges.filter(([, , type]) => types.includes(type)).map(([, to]) => to));
  const contained = targets("CONTAINS");
  if (/^apko\b/.test(tool)) return (ref) => contained.has(ref);
  const sources = targets("GENERATED_FROM", "DESCRIBED_BY");
  return (ref) => contained.has(ref) || !sources.has(ref);
}

function originsIn(
  edges: readonly Edge[],
  elements: readonly SpdxElement[],
): ReadonlyMap<string, Origin> {
  const byRef = new Map(elements.map((one) => [one.ref, one]));
  const origins = new Map<string, Origin>();
  const names = new Map<string, string | undefined>();
  for (const [from, to, type] of edges) {
    if (type !== "GENERATED_FROM" && type !== "DESCRIBED_BY") continue;
    if (!names.has(to)) names.set(to, buildFileOf(byRef.get(to)));
    const name = names.get(to);
    if (name !== undefined && !origins.has(from)) origins.set(from, { name });
  }
  return origins;
}

function buildFileOf(source: SpdxElement | undefined): string | undefined {
  if (source === undefined) return undefined;
  const subpath = source.purl?.split("#")[1] ?? "";
  return (BUILD_FILE.exec(subpath) ?? BUILD_FILE.exec(source.name))?.[1];
}

function isOperatingSystem({ ref, purpose }: SpdxElement): boolean {
  return purpose === "OPERATING-SYSTEM" || ref.startsWith("SPDXRef-OperatingSystem");
}
