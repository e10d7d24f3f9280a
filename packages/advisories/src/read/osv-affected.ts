import type { JsonValue } from "@bufbuild/protobuf";
import { AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive } from "@wharf/contract/messages";
import type { Artifact } from "./artifact.ts";
import { wholeArtifact } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { typeOfEcosystem } from "./ecosystems.ts";
import { boundedNote, type EventType, falsePositive, fixedIn } from "./events.ts";
import { fitting } from "./osv-record.ts";
import { artifactOf, packageOfUrl } from "./package.ts";

/** The affected versions of one package. */
export interface Affected {
  readonly artifact: Artifact;
  /** Versions with the fix. */
  readonly fixed: string[];
  /** Ranges of versions without a fix, as text. */
  readonly unfixed: string[];
  /** The entries of the record that are about the package, and those that name no package. */
  readonly entries: JsonValue[];
}

/**
 * The packages of a document, each once: many documents have an entry for each range. Packages of two releases of a
 * distribution are different packages. Entries without package have only ranges of commits; they apply to every
 * package. If no entry has one, each repository counts as a package.
 *
 * @example affectedOf(top.field("affected"))
 */
export function affectedOf(list: DocumentNode): Affected[] {
  const nodes = list.items("products").filter((node) => node.requireObject());
  const hasPackages = nodes.some((node) => node.field("package").isPresent);
  const found = new Map<string, Affected>();
  const unnamed: JsonValue[] = [];
  for (const node of nodes) {
    const entry = node.value as JsonValue;
    const named = node.field("package");
    if (!named.isPresent && hasPackages) {
      unnamed.push(entry);
      for (const { entries } of found.values()) entries.push(entry);
      continue;
    }
    const artifact = named.isPresent ? packageOf(named) : repositoryOf(node);
    if (artifact === undefined) continue;
    const key = JSON.stringify(artifact);
    const affected = found.get(key) ?? { artifact, fixed: [], unfixed: [], entries: [...unnamed] };
    found.set(key, affected);
    affected.entries.push(entry);
    readRanges(node, affected);
  }
  for (const { entries } of found.values()) {
    fitting(list, entries, "affectedBytes", "of one package");
  }
  return [...found.values()];
}

/** The repository of the first range of commits, by its URL without scheme; undefined if there is none. */
function repositoryOf(node: DocumentNode): Artifact | undefined {
  for (const range of node.field("ranges").items("events")) {
    const repo = range.field("repo").optionalString();
    if (repo !== "") return wholeArtifact(repo.replace(/^[a-z+]+:\/\//i, ""), REPOSITORY);
  }
  return undefined;
}

/** The artifact type of a repository. */
const REPOSITORY = "git";

function packageOf(node: DocumentNode): Artifact {
  const ecosystem = node.field("ecosystem").requiredString();
  const name = node.field("name").requiredString();
  const purlNode = node.field("purl");
  const text = purlNode.optionalUrl();
  const purl = text === "" ? undefined : packageOfUrl(text);
  if (text !== "" && purl === undefined)
    purlNode.addProblem(`${quoted(text)} is not a package URL`);
  const artifact = purl
    ? { ...artifactOf(purl), name }
    : wholeArtifact(name, typeOfEcosystem(ecosystem));
  // The location is the only field for the release of the distribution.
  const location = ecosystem.includes(":") ? ecosystem : artifact.component.location;
  return { ...artifact, component: { name, type: artifact.type, location } };
}

/** Commits are not versions of a package. */
function readRanges(node: DocumentNode, { artifact, fixed, unfixed }: Affected): void {
  const before = fixed.length + unfixed.length;
  const isRepository = artifact.type === REPOSITORY && !node.field("package").isPresent;
  let isEmpty = false;
  for (const range of node.field("ranges").items("events")) {
    if (!range.requireObject()) continue;
    if (range.field("type").requiredString() === "GIT" && !isRepository) continue;
    isEmpty = readRange(range.field("events"), fixed, unfixed) || isEmpty;
  }
  const versions = node.field("versions").items("products");
  for (const version of versions) version.requiredString();
  if (fixed.length + unfixed.length > before) return;
  if (versions.length > 0) unfixed.push(`${versions.length} listed versions`);
  else if (!isEmpty) unfixed.push("all versions");
}

/**
 * Each `introduced` opens a range that the next `fixed` or `last_affected` closes. Events are in version
 * order, except that some documents have `introduced: 0` last. A `limit` bounds all ranges. Returns whether a range
 * ends where it begins, and so contains no version.
 */
function readRange(list: DocumentNode, fixed: string[], unfixed: string[]): boolean {
  let open: string | undefined;
  let isEmpty = false;
  const limits: string[] = [];
  const events = list.items("events").filter((event) => event.requireObject());
  const isFirst = (event: DocumentNode) => event.field("introduced").value === "0";
  for (const event of events.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
    const introduced = event.field("introduced").optionalString();
    const fix = event.field("fixed").optionalString();
    const last = event.field("last_affected").optionalString();
    if (fix !== "" && fix === open) isEmpty = true;
    else if (fix !== "") fixed.push(fix);
    const limit = event.field("limit").optionalString();
    if (limit !== "") limits.push(limit);
    if (last !== "") unfixed.push(`up to ${last}`);
    if (fix !== "" || last !== "") open = undefined;
    if (introduced !== "") open = introduced;
  }
  if (open !== undefined) unfixed.push(openRange(open, limits));
  return isEmpty;
}

/** A range without end, as text. The limit `*` is none, and a version must be below one of the others. */
function openRange(introduced: string, limits: readonly string[]): string {
  const isLimited = limits.length > 0 && !limits.includes("*");
  if (introduced === "0" && !isLimited) return "all versions";
  return [
    ...(introduced === "0" ? [] : [`from ${introduced}`]),
    ...(isLimited ? [`before ${limits.join(" or ")}`] : []),
  ].join(" ");
}

const NOT_AFFECTED = falsePositive(
  FalsePositive.UNSPECIFIED,
  "The vulnerability record lists no affected versions.",
);

/** Fixed only if every range has a fix; not affected if there are only empty ranges. */
export function assessment({ fixed, unfixed }: Affected): EventType {
  if (unfixed.length === 0) return fixed.length === 0 ? NOT_AFFECTED : fixedIn(fixed, "");
  const open = `Affected: ${[...new Set(unfixed)].join(", ")}.`;
  const closed = fixed.length === 0 ? "" : ` Fixed in ${[...new Set(fixed)].join(", ")}.`;
  return { case: "truePositiveDetermination", value: { note: boundedNote(open + closed) } };
}
