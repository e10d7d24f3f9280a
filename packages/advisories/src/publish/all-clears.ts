import type { Advisory } from "@wharf/contract/messages";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { type Assessment, assessmentsOf, type VexStatus } from "./assessment.ts";
import { vulnerabilityName } from "./names.ts";
import { packageKind } from "./package-kinds.ts";
import { componentPurl } from "./packages.ts";
import { ANY_NAMING } from "./publication.ts";

/** How much of a package a status clears: nothing, some versions, or all versions. */
const CLEARS: Readonly<Record<VexStatus, number>> = {
  affected: 0,
  under_investigation: 0,
  fixed: 1,
  not_affected: 2,
};

const ANY = "any";

/** An advisory with one of its assessments. */
export interface Assessed {
  readonly advisory: Advisory;
  readonly assessment: Assessment;
}

/** What an assessment clears, by what readers of a format distinguish. */
interface Entry extends Assessed {
  readonly architecture: string;
  readonly clears: number;
  readonly packageKey: string;
  readonly key: string;
}

/**
 * The assessments of one package without those that would clear too much. VEX has no field for the location of a
 * component in a package: a scanner that reads "not affected" for one location also suppresses findings in the
 * others. So an assessment is omitted if another advisory on the same vulnerability, component and architecture
 * clears less; an advisory on the whole package is compared with those on all of its components.
 *
 * @param granularity what readers of the format distinguish: components, or only packages
 * @example withoutFalseClears(advisoriesOfOpenssl, "components")
 */
export function withoutFalseClears(
  advisories: readonly Advisory[],
  granularity: "components" | "packages",
): Assessed[] {
  const entries = advisories.flatMap((advisory) => entriesOf(advisory, granularity));
  const minima = new Map<string, MinimumByArchitecture>();
  for (const entry of entries) {
    for (const one of new Set([entry.packageKey, entry.key])) {
      const minimum = minima.get(one) ?? new MinimumByArchitecture();
      minima.set(one, minimum);
      minimum.add(entry);
    }
  }
  return entries
    .filter((entry) => entry.clears <= (minima.get(entry.key)?.below(entry) ?? entry.clears))
    .map(({ advisory, assessment }) => ({ advisory, assessment }));
}

function entriesOf(advisory: Advisory, granularity: "components" | "packages"): Entry[] {
  const { name } = vulnerabilityName(advisory);
  const component = componentPurl(advisory, ANY_NAMING);
  const isWhole = granularity === "packages" || component === undefined;
  const packageKey = JSON.stringify([name]);
  const key = isWhole ? packageKey : JSON.stringify([name, component]);
  const architecture = architectureOf(advisory);
  return assessmentsOf(advisory).map((assessment) => {
    const clears = clearsOf(assessment);
    return { advisory, assessment, architecture, clears, packageKey, key };
  });
}

/** The architecture as documents name it: for images, x86_64 is amd64. */
function architectureOf({ artifactType, artifactArchitecture }: Advisory): string {
  const isImage = packageKind(artifactType)?.purl === "oci";
  return isImage ? imageArchitecture(artifactArchitecture) : artifactArchitecture;
}

/** Clearing single products is clearing some versions. */
function clearsOf({ status, products }: Assessment): number {
  return products.length > 0 ? Math.min(CLEARS[status], CLEARS.fixed) : CLEARS[status];
}

/** The minimum of what is cleared, by architecture, and which advisory clears so little. */
class MinimumByArchitecture {
  readonly #on = new Map<string, Entry[]>();

  /** Keeps the two lowest entries of different advisories: no advisory is compared with itself. */
  add(entry: Entry): void {
    const key = isAnyArchitecture(entry.architecture) ? ANY : entry.architecture;
    const lowest = [...(this.#on.get(key) ?? []), entry].sort((a, b) => a.clears - b.clears);
    const [first] = lowest;
    const other = lowest.find(({ advisory }) => advisory !== first?.advisory);
    this.#on.set(key, [first as Entry, ...(other === undefined ? [] : [other])]);
  }

  /** The minimum of other advisories; for one on every architecture, over all of them. */
  below({ advisory, architecture }: Entry): number {
    const keys = isAnyArchitecture(architecture) ? [...this.#on.keys()] : [architecture, ANY];
    const others = keys
      .flatMap((key) => this.#on.get(key) ?? [])
      .filter((entry) => entry.advisory !== advisory);
    return Math.min(...others.map(({ clears }) => clears));
  }
}
