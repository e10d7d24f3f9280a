import { create, type JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  type AdvisorySource,
  AdvisorySourceSchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract/messages";
import { isCve } from "../publish/names.ts";
import { DISTRIBUTED, textsOf } from "../publish/osv-names.ts";
import { createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import type { DocumentNode } from "./document-node.ts";
import { eventAt, falsePositive, UNKNOWN_AUTHOR } from "./events.ts";
import { type Affected, affectedOf, assessment } from "./osv-affected.ts";
import { recordOf } from "./osv-record.ts";
import { distinct, osvSeverities } from "./severities.ts";

/**
 * The advisories of a record that is stored as their source.
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

/**
 * The metadata of the vulnerability that a record is about.
 *
 * @example vulnerabilityOf(top).severities
 */
export function vulnerabilityOf(top: DocumentNode): Vulnerability {
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
 *
 * @example advisoriesOf(top, vulnerabilityOf(top))
 */
export function advisoriesOf(top: DocumentNode, vulnerability: Vulnerability): Advisory[] {
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

/**
 * The source of an advisory, as imports name it.
 *
 * @param modified the time of the record, where a document has several versions of it
 * @example sourceOf("GHSA-…", entries)
 */
export function sourceOf(id: string, affected: JsonValue[], modified?: JsonValue): AdvisorySource {
  const version = modified === undefined ? {} : { modified };
  return create(AdvisorySourceSchema, { osv: { id, ...version, affected } });
}
