import type { Artifact } from "./artifact.ts";
import { wholeArtifact } from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { typeOfEcosystem } from "./ecosystems.ts";
import { boundedNote, type EventType, fixedIn } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
import { artifactOf, parsePurl } from "./purl.ts";

/** What a document says of one package. */
export interface Affected {
  readonly artifact: Artifact;
  /** Versions that have a fix. */
  readonly fixed: string[];
  /** Ranges of versions that have none, as people read them. */
  readonly unfixed: string[];
}

/**
 * The packages of a document, each once: many documents have an entry for each range. Packages of
 * two releases of a distribution are two.
 *
 * @example affectedOf(top.field("affected"))
 */
export function affectedOf(list: At): Affected[] {
  const found = new Map<string, Affected>();
  for (const at of list.items(READ_LIMITS.products)) {
    // Ranges of commits alone say nothing of packages.
    if (!at.mustBeObject() || !at.field("package").isThere) continue;
    const artifact = packageOf(at.field("package"));
    const key = JSON.stringify(artifact);
    const affected = found.get(key) ?? { artifact, fixed: [], unfixed: [] };
    found.set(key, affected);
    readRanges(at, affected);
  }
  return [...found.values()];
}

function packageOf(at: At): Artifact {
  const ecosystem = at.field("ecosystem").word();
  const name = at.field("name").word();
  const purlAt = at.field("purl");
  const text = purlAt.wordIfAny();
  const purl = text === "" ? undefined : parsePurl(text);
  if (text !== "" && purl === undefined) purlAt.refuse(`${quoted(text)} is not a package URL`);
  const artifact = purl
    ? { ...artifactOf(purl), name }
    : wholeArtifact(name, typeOfEcosystem(ecosystem));
  // There is no other place for the release that it is about.
  const location = ecosystem.includes(":") ? ecosystem : artifact.component.location;
  return { ...artifact, component: { name, type: artifact.type, location } };
}

function readRanges(at: At, { fixed, unfixed }: Affected): void {
  const before = fixed.length + unfixed.length;
  for (const range of at.field("ranges").items(READ_LIMITS.events)) {
    if (!range.mustBeObject() || range.field("type").word() === "GIT") continue;
    readRange(range.field("events"), fixed, unfixed);
  }
  if (fixed.length + unfixed.length > before) return;
  const versions = at.field("versions").items(READ_LIMITS.products).length;
  unfixed.push(versions > 0 ? `${versions} listed versions` : "all versions");
}

/**
 * Each `introduced` opens a range that the next of the others closes. They come in the order of versions, but
 * for the very first one, 0, which some write last.
 */
function readRange(list: At, fixed: string[], unfixed: string[]): void {
  let open: string | undefined;
  const events = list.items(READ_LIMITS.events).filter((event) => event.mustBeObject());
  const isFirst = (event: At) => event.field("introduced").value === "0";
  for (const event of events.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))) {
    const introduced = event.field("introduced").wordIfAny();
    const fix = event.field("fixed").wordIfAny();
    const last = event.field("last_affected").wordIfAny();
    if (fix !== "") fixed.push(fix);
    if (last !== "") unfixed.push(`up to ${last}`);
    if (fix !== "" || last !== "") open = undefined;
    if (introduced !== "") open = introduced;
  }
  if (open !== undefined) unfixed.push(open === "0" ? "all versions" : `from ${open}`);
}

/** Fixed only where no range is left without a fix. */
export function standing({ fixed, unfixed }: Affected): EventType {
  if (unfixed.length === 0) return fixedIn(fixed, "");
  const open = `Affected: ${[...new Set(unfixed)].join(", ")}.`;
  const closed = fixed.length === 0 ? "" : ` Fixed in ${[...new Set(fixed)].join(", ")}.`;
  return { case: "truePositiveDetermination", value: { note: boundedNote(open + closed) } };
}
