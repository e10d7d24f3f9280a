import type { Advisory } from "@wharf/contract/messages";
import { isAnyArchitecture } from "./architectures.ts";
import { assessedPackages } from "./assessed-packages.ts";
import type { Assessment } from "./assessment.ts";
import { architecturesOf } from "./distributions.ts";
import { byPackage, vulnerabilityName } from "./names.ts";
import { distributionOf } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** The version under which secdb lists vulnerabilities that do not affect a package. */
const NOT_AFFECTED = "0";

/** A package of secdb: vulnerabilities by the version that fixed them. */
interface SecdbPackage {
  readonly pkg: {
    readonly name: string;
    readonly secfixes: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * A file in the format of Alpine's secdb, as chunks. It lists origin packages, and only vulnerabilities that are
 * fixed or do not affect them.
 *
 * @param sorted advisories ordered by artifact name
 * @param architecture limits the file to packages of one architecture
 * @example for await (const chunk of secdbFile(sorted, publication)) response.write(chunk);
 */
export async function* secdbFile(
  sorted: AsyncIterable<Advisory> | Iterable<Advisory>,
  publication: Publication,
  architecture?: string,
): AsyncGenerator<string> {
  const {
    distributions: [distribution],
    namespace,
  } = publication;
  const architectures = new Set<string>(architecture === undefined ? [] : [architecture]);
  const head = {
    apkurl: "{{urlprefix}}/{{reponame}}/{{arch}}/{{pkg.name}}-{{pkg.ver}}.apk",
    reponame: distribution,
    urlprefix: namespace,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"packages":[`;
  let begun = false;
  let hasAny = false;
  for await (const advisories of byPackage(sorted)) {
    const included = advisories.filter((one) => isFor(one, architecture));
    const found = secdbPackage(included, publication);
    if (found === undefined) continue;
    for (const { artifactArchitecture } of included) {
      if (!isAnyArchitecture(artifactArchitecture)) architectures.add(artifactArchitecture);
      else if (architecture === undefined) hasAny = true;
    }
    yield `${begun ? "," : ""}${JSON.stringify(found)}`;
    begun = true;
  }
  // A package for every architecture is for those that the distribution builds.
  if (hasAny) for (const one of architecturesOf(distribution)) architectures.add(one);
  yield `],"archs":${JSON.stringify([...architectures].sort())}}`;
}

function isFor(advisory: Advisory, architecture: string | undefined): boolean {
  const { artifactType, artifactArchitecture, componentLocation, deleteTime } = advisory;
  if (artifactType.toLowerCase() !== "apk" || deleteTime !== undefined) return false;
  // The file covers one distribution; this is a package of another one.
  if (distributionOf("apk", componentLocation) !== undefined) return false;
  if (architecture === undefined || architecture === artifactArchitecture) return true;
  return isAnyArchitecture(artifactArchitecture);
}

/**
 * A vulnerability is listed under every version that fixes it in a component of the package: scanners consider
 * lower versions vulnerable. It is listed as not affecting the package only if no component is affected.
 */
function secdbPackage(
  advisories: readonly Advisory[],
  publication: Publication,
): SecdbPackage | undefined {
  const versions = new Map<string, Set<string>>();
  const affecting = new Set<string>();
  for (const advisory of advisories) {
    const assessment = assessmentIn(advisory, publication);
    if (assessment === undefined) continue;
    const { status, fixedIn } = assessment;
    const ids = idsOf(advisory);
    // Fixed in version 0 means that no version was affected.
    const isFixedInAll = fixedIn.length > 0 && fixedIn.every((one) => one === NOT_AFFECTED);
    const isClear = status === "not_affected" || isFixedInAll;
    if (!isClear) for (const id of ids) affecting.add(id);
    for (const version of isClear ? [NOT_AFFECTED] : fixedIn) {
      const listed = versions.get(version) ?? new Set();
      for (const id of ids) listed.add(id);
      versions.set(version, listed);
    }
  }
  const entries = [...versions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([version, ids]) => {
      const listed = [...ids].filter((id) => version !== NOT_AFFECTED || !affecting.has(id)).sort();
      return listed.length === 0 ? [] : [[version, listed] as const];
    });
  const [first] = advisories;
  if (first === undefined || entries.length === 0) return undefined;
  return { pkg: { name: first.artifactName, secfixes: Object.fromEntries(entries) } };
}

/** The assessment of the package of the distribution; documents may name those of other distributions as well. */
function assessmentIn(advisory: Advisory, publication: Publication): Assessment | undefined {
  const [distribution] = publication.distributions;
  return assessedPackages(advisory, publication).find(({ url: { type, segments } }) => {
    return type === "apk" && segments.length > 1 && segments[0] === distribution;
  })?.assessment;
}

/**
 * The names of the vulnerability, or the advisory id if there are none. Scanners split at spaces, so names with
 * spaces are omitted.
 */
function idsOf(advisory: Advisory): string[] {
  const { name, others } = vulnerabilityName(advisory);
  return [name, ...others].filter(
    (id, at) => !/\s/.test(id) && (at === 0 || id !== advisory.advisoryId),
  );
}
