import type {
  VulnerabilitySourceJson,
  VulnerabilitySourceStateJson,
} from "@wharf/contract/messages";
import { SOURCE_STATES, sourceTexts } from "../../../texts/sources.ts";
import { Age } from "../../../ui/time.tsx";

const TONES: Readonly<Record<VulnerabilitySourceStateJson, string>> = {
  VULNERABILITY_SOURCE_STATE_UNSPECIFIED: "plain",
  VULNERABILITY_SOURCE_STATE_PENDING: "calm",
  VULNERABILITY_SOURCE_STATE_CURRENT: "good",
  VULNERABILITY_SOURCE_STATE_FAILING: "bad",
  VULNERABILITY_SOURCE_STATE_STALE: "bad",
  VULNERABILITY_SOURCE_STATE_PAUSED: "plain",
};

/** The state of a source; of a failing one, why and since when. */
export function SourceState({
  source: { status = {} },
}: {
  readonly source: VulnerabilitySourceJson;
}) {
  const { state = "VULNERABILITY_SOURCE_STATE_UNSPECIFIED", failingSince, error } = status;
  return (
    <>
      <span className={`badge ${TONES[state]}`}>{SOURCE_STATES[state]}</span>
      {failingSince && (
        <small className="soft">
          {sourceTexts.failingSince} <Age time={failingSince} />
        </small>
      )}
      {error && <small>{error}</small>}
    </>
  );
}
