import type { Advisory } from "@wharf/contract/messages";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { assessmentOf, type VexStatus } from "./assessment.ts";
import { vulnerabilityName } from "./names.ts";
import { packageKind } from "./package-kinds.ts";
import { componentPurl } from "./packages.ts";
import type { Naming } from "./publication.ts";

/** How much of a package is clear, by what is said of it: nothing, some versions, all of them. */
const CLEARS: Readonly<Record<VexStatus, number>> = {
  affected: 0,
  under_investigation: 0,
  fixed: 1,
  not_affected: 2,
};

const ANY = "any";

/** Whichever the distribution and the registry, the same components are the same. */
const ANYWHERE: Naming = { distributions: ["-"], registry: "-" };

/**
 * The advisories of one package without all-clears that would be taken for those of others: no VEX has a
 * place for where in a package a component is, and scanners that hear "not affected" of one place hide
 * what is found in the other.
 *
 * @param toldApart what readers of the format look for: components, or packages alone
 * @example withoutFalseClears(advisoriesOfOpenssl, "components")
 */
export function withoutFalseClears(
  advisories: readonly Advisory[],
  toldApart: "components" | "packages",
): Advisory[] {
  const about = advisories.map((advisory) => {
    const { name } = vulnerabilityName(advisory);
    const component = componentPurl(advisory, ANYWHERE);
    const isWhole = toldApart === "packages" || component === undefined;
    const wholes = JSON.stringify([name]);
    const own = isWhole ? wholes : JSON.stringify([name, component]);
    const architecture = architectureOf(advisory);
    return { advisory, architecture, clears: clearsOf(advisory), wholes, own };
  });
  const least = new Map<string, Least>();
  for (const { architecture, clears, wholes, own } of about) {
    for (const key of new Set([wholes, own])) {
      const known = least.get(key) ?? new Least();
      least.set(key, known);
      known.add(architecture, clears);
    }
  }
  return about
    .filter(({ architecture, clears, own }) => {
      return clears <= (least.get(own)?.of(architecture) ?? clears);
    })
    .map(({ advisory }) => advisory);
}

/** The architecture as documents call it: of images, x86_64 and amd64 are one. */
function architectureOf({ artifactType, artifactArchitecture }: Advisory): string {
  const isImage = packageKind(artifactType)?.purl === "oci";
  return isImage ? imageArchitecture(artifactArchitecture) : artifactArchitecture;
}

function clearsOf(advisory: Advisory): number {
  const assessment = assessmentOf(advisory);
  return assessment === undefined ? Number.POSITIVE_INFINITY : CLEARS[assessment.status];
}

/** The least that is clear on each architecture. */
class Least {
  #everywhere = Number.POSITIVE_INFINITY;
  readonly #on = new Map<string, number>();

  add(architecture: string, clears: number): void {
    const key = isAnyArchitecture(architecture) ? ANY : architecture;
    this.#everywhere = Math.min(this.#everywhere, clears);
    this.#on.set(key, Math.min(this.#on.get(key) ?? clears, clears));
  }

  /** Of what is for every architecture, the least on any of them. */
  of(architecture: string): number {
    if (isAnyArchitecture(architecture)) return this.#everywhere;
    const on = (key: string) => this.#on.get(key) ?? Number.POSITIVE_INFINITY;
    return Math.min(on(architecture), on(ANY));
  }
}
