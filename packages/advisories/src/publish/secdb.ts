import type { Advisory } from "@wharf/contract/messages";
import { isAnyArchitecture } from "./architectures.ts";
import { assessmentOf } from "./assessment.ts";
import { byPackage, vulnerabilityName } from "./names.ts";
import { distributionOf } from "./packages.ts";
import type { Publication } from "./publication.ts";

/** The version under which secdb lists what does not affect a package. */
const NOT_AFFECTED = "0";

/** A package of secdb: which version fixed what. */
interface SecdbPackage {
  readonly pkg: {
    readonly name: string;
    readonly secfixes: Readonly<Record<string, readonly string[]>>;
  };
}

/**
 * The file of Alpine's secdb, in pieces. It is about packages by their origin, and can tell what is
 * fixed and what never was a problem, nothing else.
 *
 * @param sorted advisories in the order of their artifacts' names
 * @param architecture only what is in packages of this one, where given
 * @example for await (const piece of secdbFile(sorted, publication)) response.write(piece);
 */
export async function* secdbFile(
  sorted: AsyncIterable<Advisory> | Iterable<Advisory>,
  { distributions: [distribution], namespace }: Publication,
  architecture?: string,
): AsyncGenerator<string> {
  const architectures = new Set<string>(architecture === undefined ? [] : [architecture]);
  const head = {
    apkurl: "{{urlprefix}}/{{reponame}}/{{arch}}/{{pkg.name}}-{{pkg.ver}}.apk",
    reponame: distribution,
    urlprefix: namespace,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"packages":[`;
  let begun = false;
  for await (const advisories of byPackage(sorted)) {
    const counted = advisories.filter((one) => isFor(one, architecture));
    const found = secdbPackage(counted);
    if (found === undefined) continue;
    for (const { artifactArchitecture } of counted) {
      if (!isAnyArchitecture(artifactArchitecture)) architectures.add(artifactArchitecture);
    }
    yield `${begun ? "," : ""}${JSON.stringify(found)}`;
    begun = true;
  }
  yield `],"archs":${JSON.stringify([...architectures].sort())}}`;
}

function isFor(advisory: Advisory, architecture: string | undefined): boolean {
  const { artifactType, artifactArchitecture, componentLocation, deleteTime } = advisory;
  if (artifactType.toLowerCase() !== "apk" || deleteTime !== undefined) return false;
  // The file is about one distribution, and these are another's.
  if (distributionOf("apk", componentLocation) !== undefined) return false;
  if (architecture === undefined || architecture === artifactArchitecture) return true;
  return isAnyArchitecture(artifactArchitecture);
}

/**
 * A vulnerability is under every version that fixes it somewhere in the package: scanners take it for
 * present below any of them. It is listed as none of the package's only when that holds of all of it.
 */
function secdbPackage(advisories: readonly Advisory[]): SecdbPackage | undefined {
  const versions = new Map<string, Set<string>>();
  const concerned = new Set<string>();
  for (const advisory of advisories) {
    const assessment = assessmentOf(advisory);
    if (assessment === undefined) continue;
    const { status, fixedIn } = assessment;
    const ids = idsOf(advisory);
    // Who calls it fixed in version 0 says that no version ever had it.
    const isFixedInAll = fixedIn.length > 0 && fixedIn.every((one) => one === NOT_AFFECTED);
    const isClear = status === "not_affected" || isFixedInAll;
    if (!isClear) for (const id of ids) concerned.add(id);
    for (const version of isClear ? [NOT_AFFECTED] : fixedIn) {
      const listed = versions.get(version) ?? new Set();
      for (const id of ids) listed.add(id);
      versions.set(version, listed);
    }
  }
  const entries = [...versions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([version, ids]) => {
      const listed = [...ids].filter((id) => version !== NOT_AFFECTED || !concerned.has(id)).sort();
      return listed.length === 0 ? [] : [[version, listed] as const];
    });
  const [first] = advisories;
  if (first === undefined || entries.length === 0) return undefined;
  return { pkg: { name: first.artifactName, secfixes: Object.fromEntries(entries) } };
}

/**
 * What others call the vulnerability, or our own name where they have none. Scanners split ids at spaces, so
 * what has some would become others.
 */
function idsOf(advisory: Advisory): string[] {
  const { name, others } = vulnerabilityName(advisory);
  return [name, ...others].filter(
    (id, at) => !/\s/.test(id) && (at === 0 || id !== advisory.advisoryId),
  );
}
