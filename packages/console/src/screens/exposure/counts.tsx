import { Link } from "@tanstack/react-router";
import { useFindingCounts } from "../../api/finding-counts.ts";
import { screenLink } from "../../app/location.ts";
import { exposureTexts, SEVERITY_NAMES } from "../../texts/exposure.ts";
import { inventoryTexts } from "../../texts/inventory.ts";
import { SEVERITY_TONES } from "./badges.tsx";

/** The open findings of an image by severity, which lead to its vulnerabilities. Nothing of what is no image. */
export function FindingCounts({
  repo,
  digest,
}: {
  readonly repo: string;
  readonly digest: string;
}) {
  const { data } = useFindingCounts(repo, digest);
  if (!data) return null;
  const { state = "INVENTORY_STATE_UNSPECIFIED", severities = [] } = data;
  const isKnown = state === "INVENTORY_STATE_KNOWN";
  return (
    <Link
      {...screenLink("image", `${repo}/${digest}`)}
      search={{ tab: "vulnerabilities" } as never}
      className="badges"
    >
      {severities.map(({ severity = "FINDING_SEVERITY_UNSPECIFIED", open }) => (
        <span
          key={severity}
          className={`badge ${SEVERITY_TONES[severity]}`}
          title={SEVERITY_NAMES[severity]}
        >
          {Number(open ?? 0).toLocaleString("en")}
          <span className="unseen"> {SEVERITY_NAMES[severity]}</span>
        </span>
      ))}
      {(!isKnown || severities.length === 0) && (
        <small className="soft">
          {isKnown ? exposureTexts.noneOpen : inventoryTexts.states[state]}
        </small>
      )}
    </Link>
  );
}
