import { type EdgeList, isImage, PackageList } from "./package-list.ts";
import type { Origin, Sbom } from "./sbom.ts";
import type { SpdxElement } from "./spdx-element.ts";

/** The build file of an apk, whose name is that of the origin: `openssl.yaml`, `openssl.melange.yaml`. */
const BUILD_FILE = /^(?:.*\/)?([^/]+?)(?:\.melange)?\.ya?ml$/;

type Contents = Pick<
  Sbom,
  | "operatingSystem"
  | "packages"
  | "edges"
  | "roots"
  | "subjects"
  | "variants"
  | "withoutPurl"
  | "invalidPurls"
>;

/** Tells the packages of an SPDX document from images, layers, operating systems and sources. */
export class SpdxContents {
  readonly #elements: readonly SpdxElement[];
  readonly #byRef: ReadonlyMap<string, SpdxElement>;
  readonly #edges: EdgeList;
  readonly #roots: readonly string[];
  readonly #tool: string;

  constructor(
    elements: readonly SpdxElement[],
    edges: EdgeList,
    roots: readonly string[],
    tool = "",
  ) {
    this.#elements = elements;
    this.#byRef = new Map(elements.map((one) => [one.ref, one]));
    this.#edges = edges;
    this.#roots = roots;
    this.#tool = tool;
  }

  read(): Contents {
    const system = this.#elements.find(({ ref, purpose }) => isOperatingSystem(ref, purpose));
    const list = this.#packages();
    const roots = new Set(this.#roots);
    const variants = this.#targets("VARIANT_OF", (from) => roots.has(from));
    return {
      operatingSystem: system && { id: system.name, version: system.version },
      packages: list.packages,
      edges: this.#edges.between(list, this.#roots),
      roots: this.#roots,
      subjects: this.#digestsOf(this.#roots),
      variants: this.#digestsOf([...variants]),
      withoutPurl: list.withoutPurl,
      invalidPurls: list.invalidPurls,
    };
  }

  #packages(): PackageList {
    const origins = this.#origins();
    const isInstalled = this.#installed();
    const roots = new Set(this.#roots);
    const list = new PackageList();
    for (const one of this.#elements) {
      const { ref, name, version, purl } = one;
      if (!isInstalled(ref) || isOperatingSystem(ref, one.purpose)) continue;
      if (one.purpose === "CONTAINER" || (purl !== undefined && isImage(purl))) continue;
      const mayLackPurl = !one.isGroup && one.purpose !== "FILE" && !roots.has(ref);
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
  #installed(): (ref: string) => boolean {
    const contained = this.#targets("CONTAINS");
    if (/^apko\b/.test(this.#tool)) return (ref) => contained.has(ref);
    const sources = this.#targets("GENERATED_FROM").union(this.#targets("DESCRIBED_BY"));
    return (ref) => contained.has(ref) || !sources.has(ref);
  }

  #targets(type: string, isFrom: (ref: string) => boolean = () => true): Set<string> {
    const found = this.#edges.edges.filter(([from, , one]) => one === type && isFrom(from));
    return new Set(found.map(([, to]) => to));
  }

  #origins(): ReadonlyMap<string, Origin> {
    const origins = new Map<string, Origin>();
    const names = new Map<string, string | undefined>();
    for (const [from, to, type] of this.#edges.edges) {
      if (type !== "GENERATED_FROM" && type !== "DESCRIBED_BY") continue;
      if (!names.has(to)) names.set(to, buildFileOf(this.#byRef.get(to)));
      const name = names.get(to);
      if (name !== undefined && !origins.has(from)) origins.set(from, { name });
    }
    return origins;
  }

  #digestsOf(refs: readonly string[]): string[] {
    return [...new Set(refs.flatMap((ref) => this.#byRef.get(ref)?.digests ?? []))];
  }
}

function buildFileOf(source: SpdxElement | undefined): string | undefined {
  if (source === undefined) return undefined;
  const subpath = source.purl?.split("#")[1] ?? "";
  return (BUILD_FILE.exec(subpath) ?? BUILD_FILE.exec(source.name))?.[1];
}

function isOperatingSystem(ref: string, purpose: string): boolean {
  return purpose === "OPERATING-SYSTEM" || ref.startsWith("SPDXRef-OperatingSystem");
}
