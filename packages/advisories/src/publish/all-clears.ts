import type { Advisory } from "@wharf/contract/messages";
import { isLimited, parsePackageUrl } from "../package-url.ts";
import { imageArchitecture, isAnyArchitecture } from "./architectures.ts";
import { type Assessment, assessmentsOf, type VexStatus } from "./assessment.ts";
import { vulnerabilityName } from "./names.ts";
import { packageKind } from "./package-kinds.ts";
import { componentPurl, productUrls } from "./packages.ts";
import { ANY_NAMING, type Naming } from "./publication.ts";

/** The share of a package that a status clears: nothing, some versions, or all versions. */
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

/** The part of one package that an assessment clears, as readers of a format distinguish parts. */
interface Entry extends Assessed {
  readonly architecture: string;
  /** The release of the distribution, if all products name the same. */
  readonly release: string;
  readonly clears: number;
  readonly packageKey: string;
  readonly key: string;
}

/**
 * The assessments of one package without those that would clear too much. VEX has no field for the location of a
 * component in a package: a scanner that reads "not affected" for one location also suppresses findings in the
 * others. So an assessment is omitted if another advisory on the same vulnerability, component and architecture
 * clears less; an advisory on the whole package is compared with those on all of its components. Packages of
 * different distributions or releases have different package URLs, so they are not compared.
 *
 * @param granularity what readers of the format distinguish: components, or only packages
 * @example withoutFalseClears(advisoriesOfOpenssl, "components", publication)
 */
export function withoutFalseClears(
  advisories: readonly Advisory[],
  granularity: "components" | "packages",
  naming: Naming,
): Assessed[] {
  const minima = new Map<string, Minimum>();
  const assessed = advisories.flatMap((advisory) =>
    assessmentsOf(advisory).map((assessment) => ({
      advisory,
      assessment,
      entries: entriesOf({ advisory, assessment }, granularity, naming),
    })),
  );
  for (const entry of assessed.flatMap(({ entries }) => entries)) {
    for (const one of new Set([entry.packageKey, entry.key])) {
      const minimum = minima.get(one) ?? new Minimum();
      minima.set(one, minimum);
      minimum.add(entry);
    }
  }
  return assessed
    .filter(({ entries }) =>
      entries.every(
        (entry) => entry.clears <= (minima.get(entry.key)?.below(entry) ?? entry.clears),
      ),
    )
    .map(({ advisory, assessment }) => ({ advisory, assessment }));
}

/** One for each package that the assessment is about. */
function entriesOf(
  { advisory, assessment }: Assessed,
  granularity: "components" | "packages",
  naming: Naming,
): Entry[] {
  const { name } = vulnerabilityName(advisory);
  const component = componentPurl(advisory, ANY_NAMING);
  const isWhole = granularity === "packages" || component === undefined;
  const clears = clearsOf(assessment);
  const architecture = architectureOf(advisory);
  const urls = productUrls(advisory, assessment, naming).flatMap(
    ({ purl }) => parsePackageUrl(purl) ?? [],
  );
  const packages = Map.groupBy(urls, ({ type, segments }) => JSON.stringify([type, segments]));
  return [...packages].map(([about, own]) => {
    const [release, ...others] = new Set(own.map(({ qualifiers }) => qualifiers.get("distro")));
    const packageKey = JSON.stringify([name, about]);
    return {
      ...{ advisory, assessment, architecture, clears, packageKey },
      release: others.length === 0 ? (release ?? ANY) : ANY,
      key: isWhole ? packageKey : JSON.stringify([name, about, component]),
    };
  });
}

/** The architecture as documents name it: for images, x86_64 is amd64. */
function architectureOf({ artifactType, artifactArchitecture }: Advisory): string {
  const isImage = packageKind(artifactType)?.purl === "oci";
  return isImage ? imageArchitecture(artifactArchitecture) : artifactArchitecture;
}

/** Clearing single versions is clearing some. */
function clearsOf(assessment: Assessment): number {
  const { [assessment.status]: clears } = CLEARS;
  return isLimited(assessment) ? Math.min(clears, CLEARS.fixed) : clears;
}

/** The minimum of what is cleared, by architecture and release, and which advisory clears so little. */
class Minimum {
  readonly #on = new Map<string, Entry[]>();

  /** Keeps the two lowest entries of different advisories: no advisory is compared with itself. */
  add(entry: Entry): void {
    const key = cellOf(architectureKey(entry), entry.release);
    const lowest = [...(this.#on.get(key) ?? []), entry].sort((a, b) => a.clears - b.clears);
    const [first] = lowest;
    const other = lowest.find(({ advisory }) => advisory !== first?.advisory);
    this.#on.set(key, [first as Entry, ...(other === undefined ? [] : [other])]);
  }

  /** The minimum of other advisories; for one on every architecture or release, over all of them. */
  below(entry: Entry): number {
    const others = this.#overlapping(entry).filter(({ advisory }) => advisory !== entry.advisory);
    return Math.min(...others.map(({ clears }) => clears));
  }

  #overlapping(entry: Entry): Entry[] {
    const { release } = entry;
    const architecture = architectureKey(entry);
    if (architecture !== ANY && release !== ANY) {
      return [architecture, ANY].flatMap((one) =>
        [release, ANY].flatMap((other) => this.#on.get(cellOf(one, other)) ?? []),
      );
    }
    return [...this.#on.values()]
      .flat()
      .filter((one) => isOverlap(architectureKey(one), architecture))
      .filter((one) => isOverlap(one.release, release));
  }
}

function cellOf(architecture: string, release: string): string {
  return JSON.stringify([architecture, release]);
}

function architectureKey({ architecture }: Entry): string {
  return isAnyArchitecture(architecture) ? ANY : architecture;
}

function isOverlap(one: string, other: string): boolean {
  return one === ANY || other === ANY || one === other;
}
