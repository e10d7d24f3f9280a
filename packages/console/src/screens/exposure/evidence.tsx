import type { FindingJson } from "@wharf/contract/messages";
import { exposureTexts } from "../../texts/exposure.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Facts } from "../../ui/facts.tsx";
import { GroupPath } from "../../ui/group-path.tsx";
import { Age } from "../../ui/time.tsx";

const { why } = exposureTexts;

/** The reasons of a finding: what was compared with what. */
export function Evidence({ finding }: { readonly finding: FindingJson }) {
  const { vulnerability = "", package: found = {} } = finding;
  return (
    <Disclosure
      label={why.of(vulnerability, found.name ?? "")}
      title={why.title}
      content={why.button}
      className="button quiet small"
    >
      <p className="popover-title">{why.title}</p>
      <div className="evidence">
        <EvidenceFacts finding={finding} />
      </div>
    </Disclosure>
  );
}

function EvidenceFacts({ finding }: { readonly finding: FindingJson }) {
  const { basis = {}, package: found = {}, fixedVersions = [] } = finding;
  const isOrigin = basis.matchedBy === "MATCHED_BY_ORIGIN";
  const compared = (isOrigin && found.originVersion) || found.version;
  return (
    <Facts
      facts={{
        [why.remarks]: (basis.remarks ?? []).length > 0 && (
          <strong>{basis.remarks?.join("; ")}</strong>
        ),
        [why.matched]: isOrigin ? why.byOrigin(found.origin ?? "") : why.byName,
        [why.version]: `${compared} (${found.ecosystem})`,
        [why.affected]: why.range(basis.introduced ?? "", fixedVersions.join(", ")),
        [why.records]: basis.records?.join(", "),
        [why.severity]: [finding.severitySource, finding.severityScore].filter(Boolean).join(", "),
        [why.advisories]: basis.groupUid && <GroupPath uid={basis.groupUid} screen="advisories" />,
        [why.recordTime]: basis.recordTime && <Age time={basis.recordTime} />,
        [why.location]: found.location && <code>{found.location}</code>,
        [why.purl]: found.purl && <code>{found.purl}</code>,
      }}
    />
  );
}
