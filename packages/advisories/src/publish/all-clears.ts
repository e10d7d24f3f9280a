import type { Advisory } from "@wharf/contract/messages";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { assessmentOf, type VexStatus } from "./assessment.ts";
import { vulnerabilityName } from "./names.ts";
import { packageKind } from "./package-kinds.ts";
import { componentPurl } from "./packages.ts";
import type { Naming } from "./publication.ts";

/** How much of a package a status clears: nothing, some versions, or all versions. */
const CLEARS: Readonly<Record<VexStatus, number>> = {
  affected: 0,
  under_investigation: 0,
  fixed: 1,
  not_affected: 2,
};

const ANY = "any";

/** Placeholders: the comparison of components does not depend on distribution and registry. */
const PLACEHOLDER_NAMING: Naming = { distributions: ["-"], registry: "-" };

/**
 * The advisories of one package without those that would clear too much. VEX has no field for the location of a
 * component in a package: a scanner that reads "not affected" for one location also suppresses findings in the
 * others. So an advisory is omitted if another one on the same vulnerability, component and architecture
 * clears less; an advisory on the whole package is compared with those on all of its components.
 *
 * @param granularity what readers of the format distinguish: components, or only packages
 * @example withoutFalseClears(advisoriesOfOpenssl, "components")
 */
export function withoutFalseClears(
  advisories: readonly Advisory[],
  granularity: "components" | "packages",
): Advisory[] {
  const entries = advisories.map((advisory) => {
    const { name } = vulnerabilityName(advisory);
    const component = componentPurl(advisory, PLACEHOLDER_NAMING);
    const isWhole = granularity === "packages" || component === undefined;
    const packageKey = JSON.stringify([name]);
    const key = isWhole ? packageKey : JSON.stringify([name, component]);
    const architecture = architectureOf(advisory);
    return { advisory, architecture, clears: clearsOf(advisory), packageKey, key };
  });
  const minima = new Map<string, MinimumByArchitecture>();
  for (const { architecture, clears, packageKey, key } of entries) {
    for (const one of new Set([packageKey, key])) {
      const minimum = minima.get(one) ?? new MinimumByArchitecture();
      minima.set(one, minimum);
      minimum.add(architecture, clears);
    }
  }
  return entries
    .filter(({ architecture, clears, key }) => {
      return clears <= (minima.get(key)?.of(architecture) ?? clears);
    })
    .map(({ advisory }) => advisory);
}

/** The architecture as documents name it: for images, x86_64 is amd64. */
function architectureOf({ artifactType, artifactArchitecture }: Advisory): string {
  const isImage = packageKind(artifactType)?.purl === "oci";
  return isImage ? imageArchitecture(artifactArchitecture) : artifactArchitecture;
}

function clearsOf(advisory: Advisory): number {
  const assessment = assessmentOf(advisory);
  return assessment === undefined ? Number.POSITIVE_INFINITY : CLEARS[assessment.status];
}

/** The minimum of what is cleared, by architecture. */
class MinimumByArchitecture {
  #everywhere = Number.POSITIVE_INFINITY;
  readonly #on = new Map<string, number>();

  add(architecture: string, clears: number): void {
    const key = isAnyArchitecture(architecture) ? ANY : architecture;
    this.#everywhere = Math.min(this.#everywhere, clears);
    this.#on.set(key, Math.min(this.#on.get(key) ?? clears, clears));
  }

  /** For an advisory on every architecture, the minimum over all of them. */
  of(architecture: string): number {
    if (isAnyArchitecture(architecture)) return this.#everywhere;
    const on = (key: string) => this.#on.get(key) ?? Number.POSITIVE_INFINITY;
    return Math.min(on(architecture), on(ANY));
  }
}
