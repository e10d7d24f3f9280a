import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Advisory, Severity_Type } from "@wharf/contract/messages";
import { assessedPackages } from "./assessed-packages.ts";
import { type Assessment, assessmentOf } from "./assessment.ts";
import { isVector } from "./cvss.ts";
import { vulnerabilityName } from "./names.ts";
import { osvNames } from "./osv-names.ts";
import { withRecord } from "./osv-record.ts";
import { publicJson } from "./public-part.ts";
import type { Publication } from "./publication.ts";
import { rfc3339, timesOf } from "./times.ts";

const SCHEMA_VERSION = "1.7.0";

/** The id prefixes of databases registered with OSV; other ids get the prefix x_. */
const REGISTERED_PREFIXES = [
  "ASB-A PUB-A ALPINE ALSA ALBA ALEA AZL BELL BIT CGA CLEANSTART CLSA CURL CVE DEBIAN",
  "DHI DRUPAL DSA DLA ELA DTSA ECHO EEF FreeBSD GHSA GO GSD HSEC JLSEC KUBE LBSEC LSN",
  "MAL MINI MGASA OESA OSEC OSV openSUSE-SU PHSA PSF PYSEC RHBA RHEA RHSA RLSA RXSA",
  "RSEC ROOT RUSTSEC SUSE-[SRFO]U UBUNTU USN V8",
].flatMap((line) => line.split(" "));

const KNOWN_IDS = new RegExp(`^(x_|(${REGISTERED_PREFIXES.join("|")})-)`);

const SEVERITY_TYPES: Readonly<Record<Severity_Type, string>> = {
  [Severity_Type.UNSPECIFIED]: "",
  [Severity_Type.CVSS_V2]: "CVSS_V2",
  [Severity_Type.CVSS_V3]: "CVSS_V3",
  [Severity_Type.CVSS_V4]: "CVSS_V4",
};

/** An entry of the index of all documents. */
export interface OsvIndexEntry {
  readonly id: string;
  readonly modified: string;
}

/**
 * The OSV document of an advisory; undefined while no event is approved.
 *
 * - An advisory that was imported from an OSV record, which is still in effect, has the record's affected versions
 *   exactly. Otherwise they follow from the latest approved event.
 * - OSV lists affected versions and has no status "not affected". A range that ends where it begins, at 0,
 *   contains no version, which is the same by OSV's algorithm.
 * - A deleted advisory is a withdrawn record.
 * - "Under investigation" counts as affected: a false positive is better than a false negative.
 *
 * @example osvDocument(advisory, publication)?.id // "CGA-xxxx-xxxx-xxxx"
 */
export function osvDocument(advisory: Advisory, publication: Publication): JsonObject | undefined {
  const assessment = assessmentOf(advisory);
  if (assessment === undefined) return undefined;
  const { deleteTime, source } = advisory;
  const own = ownMembers(advisory, assessment, publication);
  const { members, specific } = withRecord(own, source, assessment);
  const { published, withdrawn, related, summary, details, ...rest } = members;
  const withdrawal = deleteTime === undefined ? withdrawn : rfc3339(timestampMs(deleteTime));
  return {
    schema_version: SCHEMA_VERSION,
    id: osvId(advisory),
    ...present({ published, modified: modifiedOf(advisory), withdrawn: withdrawal }),
    ...osvNames(advisory),
    ...present({ related, summary, details, ...rest }),
    database_specific: {
      ...statusFields(assessment),
      ...specific,
      wharf: publicJson(advisory),
    },
  };
}

/** The members that a record of another database may have, too. */
function ownMembers(
  advisory: Advisory,
  assessment: Assessment,
  publication: Publication,
): JsonObject {
  const { name } = vulnerabilityName(advisory);
  const severity = advisory.severities
    .filter(isVector)
    .map(({ type, score }) => ({ type: SEVERITY_TYPES[type], score }));
  return {
    published: rfc3339(timesOf([advisory]).first),
    summary: `${name} in ${advisory.artifactName}`,
    ...(assessment.note === "" ? {} : { details: assessment.note }),
    ...(severity.length === 0 ? {} : { severity: unique(severity) }),
    affected: affected(advisory, publication),
  };
}

/** When the document was modified: as the record says, until the advisory is changed here. */
function modifiedOf(advisory: Advisory): string {
  const { osv, modifyTime } = advisory.source ?? {};
  if (modifyTime === undefined) return rfc3339(timesOf([advisory]).last);
  const written = osv?.modified;
  const time = timestampMs(modifyTime);
  // Exactly as it is written: clients compare texts.
  return typeof written === "string" && Date.parse(written) === time ? written : rfc3339(time);
}

/**
 * The index entry of an advisory; undefined while it has no document.
 *
 * @example osvIndexEntry(advisory) // { id: "CGA-xxxx-xxxx-xxxx", modified: "2026-…Z" }
 */
export function osvIndexEntry(advisory: Advisory): OsvIndexEntry | undefined {
  if (assessmentOf(advisory) === undefined) return undefined;
  return { id: osvId(advisory), modified: modifiedOf(advisory) };
}

/**
 * The id of an advisory's document. OSV permits only registered prefixes, and x_.
 *
 * @example osvId(advisory) // "CGA-xxxx-xxxx-xxxx"
 */
export function osvId({ advisoryId }: Pick<Advisory, "advisoryId">): string {
  return KNOWN_IDS.test(advisoryId) ? advisoryId : `x_${advisoryId}`;
}

/**
 * The URL of an advisory's document; documents of other formats identify the advisory by it.
 *
 * @example osvUrl(advisory, publication.url) // "https://…/osv/CGA-xxxx-xxxx-xxxx.json"
 */
export function osvUrl(advisory: Pick<Advisory, "advisoryId">, url: string): string {
  return `${url}/osv/${encodeURIComponent(osvId(advisory).toWellFormed())}.json`;
}

function affected(advisory: Advisory, publication: Publication): JsonObject[] {
  const { artifactArchitecture, componentName, componentType, componentLocation } = advisory;
  const about = nonEmpty({
    architecture: artifactArchitecture,
    component_name: componentName,
    component_type: componentType,
    component_location: componentLocation,
  });
  return assessedPackages(advisory, publication).flatMap(({ ecosystem, name, purl, assessment }) =>
    // OSV has no entry for packages without ecosystem, such as images.
    ecosystem === undefined
      ? []
      : [
          {
            package: { ecosystem, name, purl },
            ranges: ranges(assessment),
            ecosystem_specific: {
              ...statusFields(assessment),
              ...(assessment.kind === "patched"
                ? { patched_versions: [...assessment.fixedIn] }
                : {}),
              ...about,
            },
          },
        ],
  );
}

/**
 * Each patched version ends a range of its own. Ranges are a union, so a version between two patched ones counts
 * as affected, as it should. So does the lower patched version, which OSV cannot express: readers find it in
 * patched_versions, and VEX feeds have a statement for each.
 */
function ranges({ status, fixedIn }: Assessment): JsonObject[] {
  const ends = status === "not_affected" ? ["0"] : fixedIn;
  if (ends.length === 0) return [{ type: "ECOSYSTEM", events: [{ introduced: "0" }] }];
  return ends.map((fixed) => ({ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }));
}

function statusFields({ status, justification }: Assessment): Record<string, string> {
  return { status, ...(justification === undefined ? {} : { justification }) };
}

/** The members that are not undefined. */
function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

function nonEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

function unique<T extends { type: string; score: string }>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [`${one.type} ${one.score}`, one])).values()];
}
