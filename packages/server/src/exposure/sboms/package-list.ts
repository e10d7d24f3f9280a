import { isImageUrl, parsePackageUrl } from "@wharf/advisories/package-url";
import type { SbomLimits } from "./limits.ts";
import { SbomRefused } from "./refusal.ts";
import type { Edge, SbomPackage } from "./sbom.ts";

/** Collects packages under unique references. The same package twice under one reference counts once. */
export class PackageList {
  readonly packages: SbomPackage[] = [];
  readonly #byRef = new Map<string, SbomPackage>();
  withoutPurl = 0;
  invalidPurls = 0;

  add(one: SbomPackage): void {
    const other = this.#byRef.get(one.ref);
    if (other !== undefined && isSame(other, one)) return;
    const unique = other === undefined ? one : { ...one, ref: this.#freeRef(one.ref) };
    this.#byRef.set(unique.ref, unique);
    this.packages.push(unique);
    if (unique.purl === undefined) this.withoutPurl++;
    else if (!isValid(unique.purl)) this.invalidPurls++;
  }

  has(ref: string): boolean {
    return this.#byRef.has(ref);
  }

  #freeRef(ref: string): string {
    let free = `${ref}#${this.packages.length}`;
    while (this.#byRef.has(free)) free += "#";
    return free;
  }
}

function isSame(one: SbomPackage, other: SbomPackage): boolean {
  return one.purl === other.purl && one.name === other.name && one.version === other.version;
}

/** Collects relationships. */
export class EdgeList {
  readonly edges: Edge[] = [];
  readonly #max: number;

  constructor(limits: SbomLimits) {
    this.#max = limits.edges;
  }

  add(from: string, to: string, type: string): void {
    if (from === "" || to === "") return;
    if (this.edges.length >= this.#max) {
      throw new SbomRefused("too_many_edges", `has more than ${this.#max} relationships`);
    }
    this.edges.push([from, to, type]);
  }

  /** Relationships between packages and roots: others are about files, sources, or nothing in the document. */
  between(packages: PackageList, roots: readonly string[]): Edge[] {
    const ends = new Set(roots);
    const isEnd = (ref: string) => packages.has(ref) || ends.has(ref);
    return this.edges.filter(([from, to]) => from !== to && isEnd(from) && isEnd(to));
  }
}

/** Package URLs without percent-encoding, which are valid: most are, and parsing takes ten times as long. */
const PLAIN = /^pkg:[a-z]+\/\w[\w.~+:@/-]*(?:\?[\w.~+:&=/-]*)?$/;

export function isValid(purl: string): boolean {
  return PLAIN.test(purl) || parsePackageUrl(purl) !== undefined;
}

/** Whether a package URL is one of an image, which is no package in it. */
export function isImage(purl: string): boolean {
  const start = purl.startsWith("pkg:/") ? purl.replace(/^pkg:\/+/, "pkg:") : purl;
  return isImageUrl({ type: start.slice("pkg:".length, start.indexOf("/")).toLowerCase() });
}

export function tooManyComponents(max: number): SbomRefused {
  return new SbomRefused("too_many_components", `has more than ${max} components`);
}
