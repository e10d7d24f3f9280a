import type { Advisory } from "@wharf/contract/messages";
import {
  type Artifact,
  createAdvisory,
  deriveAdvisoryId,
  isAdvisoryId,
  WHOLE,
  wholeArtifact,
} from "./artifact.ts";
import { distroEvent } from "./distro-events.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { UNKNOWN_AUTHOR } from "./events.ts";
import type { Contents } from "./read.ts";

const VERSION = /^2(\.\d+){0,2}$/;

/** The format describes apk packages of any architecture. */
const TYPE = "apk";

/**
 * Reads the advisories of one package in the format of Wolfi and Chainguard, schema version 2.
 *
 * @example DocumentNode.read(parseTree(text), readDistro)
 */
export function readDistro(top: DocumentNode): Contents {
  if (!top.requireObject()) return { advisories: [] };
  const version = top.field("schema-version");
  const written = version.isPresent ? version.optionalString() : "1";
  if (!VERSION.test(written)) {
    version.addProblem(`schema version ${quoted(written)} is not supported; expected 2.x`);
    return { advisories: [] };
  }
  const name = top.field("package").field("name").requiredString();
  const list = top.field("advisories");
  if (!list.isPresent) list.addProblem("is missing");
  const seen = new Set<string>();
  const advisories = list.items("advisories").flatMap((node) => {
    if (!node.requireObject()) return [];
    const id = node.field("id");
    const advisory = readAdvisory(node, name);
    if (seen.has(advisory.advisoryId)) id.addProblem(`${quoted(id.optionalString())} occurs twice`);
    seen.add(advisory.advisoryId);
    return [advisory];
  });
  return { advisories };
}

function readAdvisory(node: DocumentNode, packageName: string): Advisory {
  const id = node.field("id").requiredString();
  const aliases = node.field("aliases").names();
  const list = node.field("events");
  if (!list.isPresent || (Array.isArray(list.value) && list.value.length === 0)) {
    list.addProblem("must have at least one event");
  }
  const events = list.items("events").flatMap((one) => distroEvent(one, UNKNOWN_AUTHOR) ?? []);
  const artifact = artifactOf(packageName, events);
  const common = { author: UNKNOWN_AUTHOR, events };
  if (isAdvisoryId(id)) return createAdvisory(artifact, { ...common, advisoryId: id, aliases });
  // In older documents the id of an advisory is its vulnerability.
  const advisoryId = deriveAdvisoryId(wholeArtifact(packageName, TYPE), id);
  return createAdvisory(artifact, {
    ...common,
    advisoryId,
    legacyAdvisoryId: id,
    aliases: [...new Set([id, ...aliases])],
  });
}

/** The component is that of the first scan; later scans must not move an advisory. */
function artifactOf(packageName: string, events: Advisory["events"]): Artifact {
  const whole = wholeArtifact(packageName, TYPE);
  for (const { type: event } of events) {
    if (event.case !== "detection" || event.value.type.case !== "scanv1") continue;
    const { component, componentType, componentLocation } = event.value.type.value;
    if (component === "") continue;
    const type = componentType || TYPE;
    return {
      ...whole,
      component: { name: component, type, location: componentLocation || WHOLE },
    };
  }
  return whole;
}
