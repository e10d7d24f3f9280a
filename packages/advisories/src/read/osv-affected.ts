import type { Artifact } from "./artifact.ts";
import { wholeArtifact } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { typeOfEcosystem } from "./ecosystems.ts";
import { boundedNote, type EventType, fixedIn } from "./events.ts";
import { artifactOf, packageOfUrl } from "./package.ts";

/** The affected versions of one package. */
export interface Affected {
  readonly artifact: Artifact;
  /** Versions with the fix. */
  readonly fixed: string[];
  /** Ranges of versions without a fix, as text. */
  readonly unfixed: string[];
}

/**
 * The packages of a document, each once: many documents have an entry for each range. Packages of two
 * releases of a distribution are different packages.
 *
 * @example affectedOf(top.field("affected"))
 */
export function affectedOf(list: DocumentNode): Affected[] {
  const found = new Map<string, Affected>();
  for (const node of list.items("products")) {
    // An entry with only commit ranges names no package.
    if (!node.requireObject() || !node.field("package").isPresent) continue;
    const artifact = packageOf(node.field("package"));
    const key = JSON.stringify(artifact);
    const affected = found.get(key) ?? { artifact, fixed: [], unfixed: [] };
    found.set(key, affected);
    readRanges(node, affected);
  }
  return [...found.values()];
}

function packageOf(node: DocumentNode): Artifact {
  const ecosystem = node.field("ecosystem").requiredString();
  const name = node.field("name").requiredString();
  const purlNode = node.field("purl");
  const text = purlNode.optionalString();
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

function readRanges(node: DocumentNode, { fixed, unfixed }: Affected): void {
  const before = fixed.length + unfixed.length;
  for (const range of node.field("ranges").items("events")) {
    if (!range.requireObject() || range.field("type").requiredString() === "GIT") continue;
    readRange(range.field("events"), fixed, unfixed);
  }
  if (fixed.length + unfixed.length > before) return;
  const versions = node.field("versions").items("products").length;
  unfixed.push(versions > 0 ? `${versions} listed versions` : "all versions");
}

/**
 * Each `introduced` opens a range that the next `fixed` or `last_affected` closes. Events are in version
 * order, except that some documents have `introduced: 0` last.
 */
function readRange(list: DocumentNode, fixed: string[], unfixed: string[]): void {
  let open: string | undefined;
  const events = list.items("events").filter((event) => event.requireObject());
  const isFirst = (event: DocumentNode) => event.field("introduced").value === "0";
  for (const event of events.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
    const introduced = event.field("introduced").optionalString();
    const fix = event.field("fixed").optionalString();
    const last = event.field("last_affected").optionalString();
    if (fix !== "") fixed.push(fix);
    if (last !== "") unfixed.push(`up to ${last}`);
    if (fix !== "" || last !== "") open = undefined;
    if (introduced !== "") open = introduced;
  }
  if (open !== undefined) unfixed.push(open === "0" ? "all versions" : `from ${open}`);
}

/** Fixed only if every range has a fix. */
export function assessment({ fixed, unfixed }: Affected): EventType {
  if (unfixed.length === 0) return fixedIn(fixed, "");
  const open = `Affected: ${[...new Set(unfixed)].join(", ")}.`;
  const closed = fixed.length === 0 ? "" : ` Fixed in ${[...new Set(fixed)].join(", ")}.`;
  return { case: "truePositiveDetermination", value: { note: boundedNote(open + closed) } };
}
