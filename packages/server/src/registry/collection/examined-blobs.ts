import { type ExaminedLink, isGarbage } from "../../store/tables/registry/blob-garbage.ts";
import type { Blob } from "../../store/tables/registry/blobs.ts";
import type { Findings, PassKind } from "./findings.ts";

/** The links of a blob. */
interface Links {
  kept: number;
  garbage: number;
  isReferred: boolean;
  /** When the last lease of a link ends that no manifest keeps; 0 for none. */
  leased: number;
}

/** A page of blobs, with their links and what was deleted of them. */
export class ExaminedBlobs {
  readonly #blobs: readonly Blob[];
  readonly #links = new Map<string, Links>();
  readonly #freed = new Set<string>();

  constructor(blobs: readonly Blob[]) {
    this.#blobs = blobs;
  }

  /** Adds links, and returns those that are garbage. */
  addLinks(links: readonly ExaminedLink[], now: number): ExaminedLink[] {
    return links.filter((link) => {
      const of = this.#linksOf(link.digest);
      if (isGarbage(link, now)) {
        of.garbage++;
        return true;
      }
      of.kept++;
      if (link.referred === 1) of.isReferred = true;
      else of.leased = Math.max(of.leased, Number(link.leased));
      return false;
    });
  }

  /** Blobs that no repo links to. */
  unlinked(): readonly Blob[] {
    return this.#blobs.filter(({ digest }) => !this.#links.has(digest));
  }

  freed(blobs: readonly Blob[]): void {
    for (const { digest } of blobs) this.#freed.add(digest);
  }

  /** The findings with those of this page. What a collection has deleted is in them already. */
  addTo(findings: Findings, kind: PassKind): Findings {
    const sum = { ...findings };
    for (const blob of this.#blobs) {
      if (this.#freed.has(blob.digest)) continue;
      const size = Number(blob.size);
      const { kept, garbage, isReferred, leased } = this.#linksOf(blob.digest);
      sum.blobs++;
      sum.bytes += size;
      sum.linkedBytes += size * (kind === "preview" ? kept + garbage : kept);
      if (kind === "preview" && kept === 0) {
        sum.freedBlobs++;
        sum.freedBytes += size;
      }
      if (isReferred || leased === 0) continue;
      sum.leasedBlobs++;
      sum.leasedBytes += size;
      sum.leasedUntil = Math.max(sum.leasedUntil, leased);
    }
    return sum;
  }

  #linksOf(digest: string): Links {
    const before = this.#links.get(digest);
    if (before !== undefined) return before;
    const links = { kept: 0, garbage: 0, isReferred: false, leased: 0 };
    this.#links.set(digest, links);
    return links;
  }
}
