import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Finding } from "@wharf/contract";
import { registryV1, vulnV1 } from "@wharf/contract/v1";
import { toFinding } from "../../exposure/findings/messages.ts";
import { readRecords } from "../../exposure/findings/records-of-findings.ts";
import { onlyRepo } from "../../exposure/findings/scope.ts";
import { VERSION } from "../../lib/version.ts";
import type { Store } from "../../store/db/store.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { knownImage, openFindings } from "./images.ts";
import { cvssOf, recordedSeverity } from "./severities.ts";

/** The version of this server as a scanner. */
export const SCANNER_VERSION = `wharf/${VERSION}`;

const NO_NAMES = { repoPath: "", tags: [] };

/** The findings of one image. */
export function vulnReportMethods({ reader }: Store): AdaptedMethod[] {
  return [
    respondWith(
      registryV1.Registry.method.getVulnReport,
      {},
      async ({ repoId, digest }, { time }) => {
        const image = await knownImage(reader, repoId, digest);
        const rows = await openFindings(reader, onlyRepo(repoId), image, time);
        const records = await readRecords(
          reader,
          rows.map(({ detail }) => detail),
        );
        const generated = timestampFromMs(time);
        return {
          id: `${repoId}@${image.digest}`,
          vulnerabilityDbLastBuildTime: generated,
          vulnerabilityMatches: rows.map((row) => matchOf(toFinding(row, NO_NAMES, records))),
          scanner: { name: "wharf", version: SCANNER_VERSION },
          ...{ reportGeneration: generated, lastSeen: generated },
        };
      },
    ),
  ];
}

function matchOf(finding: Finding): MessageInitShape<typeof vulnV1.VulnerabilityMatchSchema> {
  const { vulnerability, aliases, severity, severityScore, severitySource, summary } = finding;
  const { purl = "", name = "", version = "", license = "" } = finding.package ?? {};
  const { VulnerabilityFix_State: State } = vulnV1;
  const isFixed = finding.fixedVersions.length > 0;
  return {
    vulnerability: {
      id: finding.basis?.records[0] ?? vulnerability,
      description: summary,
      severity: recordedSeverity(severity),
      source: severitySource,
      cvss: cvssOf(severityScore),
      relatedVulnerabilities: aliases.map((id) => ({ id, source: sourceOf(id) })),
      displayId: vulnerability,
    },
    pkg: { id: purl, name, version, license, purl },
    fix: {
      versions: finding.fixedVersions,
      state: isFixed ? State.FIXED : State.NOT_FIXED,
    },
  };
}

/** The database of an identifier, by its prefix: such as GHSA. */
function sourceOf(id: string): string {
  return id.split("-")[0]?.toLowerCase() ?? "";
}
