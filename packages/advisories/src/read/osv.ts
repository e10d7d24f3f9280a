import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  AdvisorySchema,
  AdvisorySourceSchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract/messages";
import { isCve } from "../publish/names.ts";
import { DISTRIBUTED, textsOf } from "../publish/osv-names.ts";
import { createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { eventAt, falsePositive, UNKNOWN_AUTHOR } from "./events.ts";
import { type Affected, affectedOf, assessment } from "./osv-affected.ts";
import { publishedRecord, recordOf } from "./osv-record.ts";
import type { Contents } from "./read.ts";
import { distinct, osvSeverities } from "./severities.ts";

/**
 * Reads an OSV 1.x document: metadata of a vulnerability, and an advisory for each affected package, with the
 * part of the record that is about the package as its source.
 *
 * @example DocumentNode.read(parseTree(text), readOsv).vulnerabilities
 */
export function readOsv(top: DocumentNode): Contents {
  if (!top.requireObject()) return { advisories: [] };
  const version = top.field("schema_version");
  if (version.isPresent && !/^1\.\d+(\.\d+)?$/.test(version.optionalString())) {
    version.addProblem(
      `schema version ${quoted(version.optionalString())} is not supported; expected 1.x`,
    );
    return { advisories: [] };
  }
  const vulnerability = vulnerabilityOf(top);
  // Documents of Wharf include the whole advisory, which is restored exactly.
  const own = top.field("database_specific").field("wharf");
  if (own.isPresent) return ownContents(own, vulnerability, publishedRecord(top));
  const advisories = advisoriesOf(top, vulnerability);
  const record = recordOf(top);
  return {
    vulnerabilities: [vulnerability],
    advisories,
    records: advisories.length === 0 ? [] : [record],
  };
}

/**
 * The advisories of a record that is kept as their source.
 *
 * @example DocumentNode.read(tree, readKeptRecord)
 */
export function readKeptRecord(top: DocumentNode): Advisory[] {
  const advisories = advisoriesOf(top, vulnerabilityOf(top));
  recordOf(top);
  const own = top.field("database_specific").field("wharf");
  if (own.isPresent) own.addProblem("must not be in a record of another database");
  return advisories;
}

function vulnerabilityOf(top: DocumentNode): Vulnerability {
  const withdrawn = top.field("withdrawn").optionalTime();
  const publishTime = top.field("published").pastTime();
  // Go's database has the zero time in its repository, for either or both.
  const updateTime = top.field("modified").pastTime() ?? publishTime;
  const severities = distinct([
    ...osvSeverities(top.field("severity")),
    ...top
      .field("affected")
      .items("products")
      .flatMap((one) => osvSeverities(one.field("severity"))),
  ]);
  return create(VulnerabilitySchema, {
    id: top.field("id").requiredString(),
    aliases: top.field("aliases").names(),
    summary: top.field("summary").optionalText(),
    ...(publishTime && { publishTime }),
    ...(updateTime && { updateTime }),
    // A withdrawn record has no severities.
    severities: withdrawn === undefined ? severities : [],
  });
}

/**
 * Upstream vulnerabilities are not the same as the record, but advisories are found and rated by them. Advisories are
 * as old as the record, whose time is published in every format.
 */
function advisoriesOf(top: DocumentNode, vulnerability: Vulnerability): Advisory[] {
  const { id, aliases, publishTime, updateTime } = vulnerability;
  const names = new Set([id, ...aliases, ...top.field("upstream").names()]);
  const related = [...names].some(isCve) ? [] : textsOf(top.field("related").value).filter(isCve);
  if (id === "") return [];
  const isEarlier = publishTime && updateTime && timestampMs(publishTime) < timestampMs(updateTime);
  return affectedOf(top.field("affected")).map((affected) => {
    const advisory = createAdvisory(affected.artifact, {
      advisoryId: deriveAdvisoryId(affected.artifact, id),
      author: UNKNOWN_AUTHOR,
      // Notices of some distributions, such as AlmaLinux, name the CVEs that they fix nowhere else.
      aliases: [...names, ...(DISTRIBUTED.has(affected.artifact.type) ? related : [])],
      events: eventsOf(top, affected, updateTime),
    });
    if (isEarlier) advisory.createTime = publishTime;
    advisory.source = sourceOf(id, affected.entries);
    return advisory;
  });
}

const WITHDRAWN = falsePositive(
  FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
  "The vulnerability record was withdrawn.",
);

/**
 * The assessment of a package, at the time of the record. A withdrawal is the last event, whatever the times are:
 * a withdrawn record may be modified later, and stays withdrawn.
 */
function eventsOf(
  top: DocumentNode,
  affected: Affected,
  modified: AdvisoryEvent["createTime"],
): AdvisoryEvent[] {
  const origin = { author: UNKNOWN_AUTHOR };
  const isWithdrawn = top.field("withdrawn").optionalTime() !== undefined;
  const withdrawn = top.field("withdrawn").pastTime();
  const assessed = eventAt(modified, assessment(affected), origin);
  if (!isWithdrawn) return [assessed];
  if (modified === undefined || withdrawn === undefined) {
    return [eventAt(withdrawn, WITHDRAWN, origin)];
  }
  if (timestampMs(withdrawn) < timestampMs(modified)) return [eventAt(modified, WITHDRAWN, origin)];
  return [assessed, eventAt(withdrawn, WITHDRAWN, origin)];
}

function sourceOf(id: string, affected: JsonValue[]) {
  return create(AdvisorySourceSchema, { osv: { id, affected } });
}

function ownContents(
  own: DocumentNode,
  { id, severities }: Vulnerability,
  published: DocumentNode | undefined,
): Contents {
  let advisory: Advisory;
  try {
    advisory = fromJson(AdvisorySchema, own.value as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    own.addProblem(`is not an advisory: ${(error as Error).message}`);
    return { advisories: [] };
  }
  // OSV prefixes ids of unregistered databases with x_.
  if (advisory.advisoryId !== id && `x_${advisory.advisoryId}` !== id) {
    own.field("advisoryId").addProblem(`must be the document's id, ${quoted(id)}`);
  }
  for (const name of ["artifactName", "artifactType"] as const) {
    if (advisory[name] === "") own.field(name).addProblem("is missing");
  }
  for (const [index, event] of own.field("events").items("events").entries()) {
    const { createTime, type } = advisory.events[index] as Advisory["events"][number];
    if (createTime === undefined) event.field("createTime").addProblem("is missing");
    if (type.case === undefined) event.addProblem("has no event type");
  }
  // An advisory that its publisher deleted is not imported.
  if (advisory.deleteTime !== undefined) return { advisories: [] };
  const records = restoreSource(advisory, published);
  const [first, ...others] = advisory.aliases;
  const rated = severities.length > 0 ? severities : advisory.severities;
  if (first === undefined || rated.length === 0) return { advisories: [advisory], records };
  // Without a time: a record of the vulnerability takes precedence.
  const known = create(VulnerabilitySchema, { id: first, aliases: others, severities: rated });
  return { advisories: [advisory], vulnerabilities: [known], records };
}

/** Gives an advisory of Wharf the source that it was published with, if any. */
function restoreSource(advisory: Advisory, published: DocumentNode | undefined): JsonObject[] {
  delete advisory.source;
  if (published === undefined) return [];
  readKeptRecord(published);
  const affected = published.field("affected").value;
  advisory.source = sourceOf(
    published.field("id").optionalString(),
    Array.isArray(affected) ? affected : [],
  );
  return [recordOf(published)];
}
