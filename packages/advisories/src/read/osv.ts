import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  type Advisory,
  AdvisorySchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract/messages";
import { advisoryOn, idFor } from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { eventAt, falsePositive, UNKNOWN_AUTHOR } from "./events.ts";
import { READ_LIMITS } from "./limits.ts";
import { type Affected, affectedOf, standing } from "./osv-affected.ts";
import type { Contents } from "./read.ts";
import { distinct, osvSeverities } from "./severities.ts";

/**
 * Reads a document of OSV 1.x: what is known of a vulnerability, and an advisory for each package.
 *
 * @example At.read(treeOf(text), readOsv).vulnerabilities
 */
export function readOsv(top: At): Contents {
  if (!top.mustBeObject()) return { advisories: [] };
  const version = top.field("schema_version");
  if (version.isThere && !/^1\.\d+(\.\d+)?$/.test(version.wordIfAny())) {
    version.refuse(`schema version ${quoted(version.wordIfAny())} is not read; 1.x is`);
    return { advisories: [] };
  }
  const vulnerability = vulnerabilityOf(top);
  // Advisories of our own come back exactly as they went out.
  const own = top.field("database_specific").field("wharf");
  if (own.isThere) return ownContents(own, vulnerability);
  return { vulnerabilities: [vulnerability], advisories: advisoriesOf(top, vulnerability) };
}

function vulnerabilityOf(top: At): Vulnerability {
  const withdrawn = top.field("withdrawn").timeIfAny();
  const publishTime = top.field("published").timeIfAny();
  const updateTime = top.field("modified").time();
  const severities = distinct([
    ...osvSeverities(top.field("severity")),
    ...top
      .field("affected")
      .items(READ_LIMITS.products)
      .flatMap((one) => osvSeverities(one.field("severity"))),
  ]);
  return create(VulnerabilitySchema, {
    id: top.field("id").word(),
    aliases: top.field("aliases").words(READ_LIMITS.aliases),
    summary: top.field("summary").textIfAny(),
    ...(publishTime && { publishTime }),
    ...(updateTime && { updateTime }),
    // What was withdrawn rates nothing.
    severities: withdrawn === undefined ? severities : [],
  });
}

function advisoriesOf(top: At, { id, aliases, updateTime }: Vulnerability): Advisory[] {
  if (updateTime === undefined || id === "") return [];
  const origin = { author: UNKNOWN_AUTHOR };
  const withdrawn = top.field("withdrawn").timeIfAny();
  const ends = withdrawn && eventAt(withdrawn, WITHDRAWN, origin);
  return affectedOf(top.field("affected")).map((affected: Affected) =>
    advisoryOn(affected.artifact, {
      advisoryId: idFor(affected.artifact, id),
      author: UNKNOWN_AUTHOR,
      aliases: [id, ...aliases.filter((alias) => alias !== id)],
      events: [eventAt(updateTime, standing(affected), origin), ...(ends ? [ends] : [])],
    }),
  );
}

const WITHDRAWN = falsePositive(
  FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
  "The vulnerability record was withdrawn.",
);

function ownContents(own: At, { id, severities }: Vulnerability): Contents {
  let advisory: Advisory;
  try {
    advisory = fromJson(AdvisorySchema, own.value as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    own.refuse(`is not an advisory: ${(error as Error).message}`);
    return { advisories: [] };
  }
  // Ids that OSV knows no home of have this before them there.
  if (advisory.advisoryId !== id && `x_${advisory.advisoryId}` !== id) {
    own.field("advisoryId").refuse(`must be the document's id, ${quoted(id)}`);
  }
  for (const name of ["artifactName", "artifactType"] as const) {
    if (advisory[name] === "") own.field(name).refuse("is missing");
  }
  for (const [at, event] of own.field("events").items(READ_LIMITS.events).entries()) {
    const { createTime, type } = advisory.events[at] as Advisory["events"][number];
    if (createTime === undefined) event.field("createTime").refuse("is missing");
    if (type.case === undefined) event.refuse("does not say what happened");
  }
  // What was deleted where it comes from is not brought to life here.
  if (advisory.deleteTime !== undefined) return { advisories: [] };
  const [first, ...others] = advisory.aliases;
  const rated = severities.length > 0 ? severities : advisory.severities;
  if (first === undefined || rated.length === 0) return { advisories: [advisory] };
  // Without a time: whatever the vulnerability's own record says counts for more.
  const known = create(VulnerabilitySchema, { id: first, aliases: others, severities: rated });
  return { advisories: [advisory], vulnerabilities: [known] };
}
