import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import {
  type Advisory,
  AdvisorySchema,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract/messages";
import { createAdvisory, deriveAdvisoryId } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { eventAt, falsePositive, UNKNOWN_AUTHOR } from "./events.ts";
import { type Affected, affectedOf, assessment } from "./osv-affected.ts";
import type { Contents } from "./read.ts";
import { distinct, osvSeverities } from "./severities.ts";

/**
 * Reads an OSV 1.x document: metadata of a vulnerability, and an advisory for each affected package.
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
  if (own.isPresent) return ownContents(own, vulnerability);
  return { vulnerabilities: [vulnerability], advisories: advisoriesOf(top, vulnerability) };
}

function vulnerabilityOf(top: DocumentNode): Vulnerability {
  const withdrawn = top.field("withdrawn").optionalTime();
  const publishTime = top.field("published").optionalTime();
  const updateTime = top.field("modified").requiredTime();
  const severities = distinct([
    ...osvSeverities(top.field("severity")),
    ...top
      .field("affected")
      .items("products")
      .flatMap((one) => osvSeverities(one.field("severity"))),
  ]);
  return create(VulnerabilitySchema, {
    id: top.field("id").requiredString(),
    aliases: top.field("aliases").uniqueStrings("aliases"),
    summary: top.field("summary").optionalText(),
    ...(publishTime && { publishTime }),
    ...(updateTime && { updateTime }),
    // A withdrawn record has no severities.
    severities: withdrawn === undefined ? severities : [],
  });
}

function advisoriesOf(top: DocumentNode, { id, aliases, updateTime }: Vulnerability): Advisory[] {
  if (updateTime === undefined || id === "") return [];
  const origin = { author: UNKNOWN_AUTHOR };
  const withdrawn = top.field("withdrawn").optionalTime();
  const withdrawal = withdrawn && eventAt(withdrawn, WITHDRAWN, origin);
  return affectedOf(top.field("affected")).map((affected: Affected) =>
    createAdvisory(affected.artifact, {
      advisoryId: deriveAdvisoryId(affected.artifact, id),
      author: UNKNOWN_AUTHOR,
      aliases: [id, ...aliases.filter((alias) => alias !== id)],
      events: [
        eventAt(updateTime, assessment(affected), origin),
        ...(withdrawal ? [withdrawal] : []),
      ],
    }),
  );
}

const WITHDRAWN = falsePositive(
  FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
  "The vulnerability record was withdrawn.",
);

function ownContents(own: DocumentNode, { id, severities }: Vulnerability): Contents {
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
  const [first, ...others] = advisory.aliases;
  const rated = severities.length > 0 ? severities : advisory.severities;
  if (first === undefined || rated.length === 0) return { advisories: [advisory] };
  // Without a time: a record of the vulnerability takes precedence.
  const known = create(VulnerabilitySchema, { id: first, aliases: others, severities: rated });
  return { advisories: [advisory], vulnerabilities: [known] };
}
