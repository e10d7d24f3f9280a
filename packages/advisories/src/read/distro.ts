import type { Advisory } from "@wharf/contract/messages";
import {
  type Artifact,
  advisoryOn,
  idFor,
  isAdvisoryId,
  WHOLE,
  wholeArtifact,
} from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { distroEvent } from "./distro-events.ts";
import { UNKNOWN_AUTHOR } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Contents } from "./read.ts";

const VERSION = /^2(\.\d+){0,2}$/;

/** What its packages are, and it says of no architecture. */
const TYPE = "apk";

/**
 * Reads the advisories of one package in the format of public distributions, schema version 2.
 *
 * @example At.read(treeOf(text), readDistro)
 */
export function readDistro(top: At): Contents {
  if (!top.mustBeObject()) return { advisories: [] };
  const version = top.field("schema-version");
  const written = version.isThere ? version.wordIfAny() : "1";
  if (!VERSION.test(written)) {
    version.refuse(`schema version ${quoted(written)} is not read; 2.x is`);
    return { advisories: [] };
  }
  const name = top.field("package").field("name").word();
  const list = top.field("advisories");
  if (!list.isThere) list.refuse("is missing");
  const seen = new Set<string>();
  const advisories = list.items(READ_LIMITS.advisories).flatMap((at) => {
    if (!at.mustBeObject()) return [];
    const id = at.field("id");
    const advisory = readAdvisory(at, name);
    if (seen.has(advisory.advisoryId)) id.refuse(`${quoted(id.wordIfAny())} is there twice`);
    seen.add(advisory.advisoryId);
    return [advisory];
  });
  return { advisories };
}

function readAdvisory(at: At, packageName: string): Advisory {
  const id = at.field("id").word();
  const aliases = at.field("aliases").words(READ_LIMITS.aliases);
  const list = at.field("events");
  if (!list.isThere || (Array.isArray(list.value) && list.value.length === 0)) {
    list.refuse("must have at least one event");
  }
  const events = list
    .items(READ_LIMITS.events)
    .flatMap((one) => distroEvent(one, UNKNOWN_AUTHOR) ?? []);
  const artifact = artifactOf(packageName, events);
  const common = { author: UNKNOWN_AUTHOR, events };
  if (isAdvisoryId(id)) return advisoryOn(artifact, { ...common, advisoryId: id, aliases });
  // Older documents name advisories by their vulnerability.
  const advisoryId = idFor(wholeArtifact(packageName, TYPE), id);
  return advisoryOn(artifact, {
    ...common,
    advisoryId,
    legacyAdvisoryId: id,
    aliases: [...new Set([id, ...aliases])],
  });
}

/** The component is what the first scan found; later ones must not move an advisory. */
function artifactOf(packageName: string, events: Advisory["events"]): Artifact {
  const whole = wholeArtifact(packageName, TYPE);
  for (const { type: said } of events) {
    if (said.case !== "detection" || said.value.type.case !== "scanv1") continue;
    const { component, componentType, componentLocation } = said.value.type.value;
    if (component === "") continue;
    const type = componentType || TYPE;
    return {
      ...whole,
      component: { name: component, type, location: componentLocation || WHOLE },
    };
  }
  return whole;
}
