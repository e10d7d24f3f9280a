import type { VulnerabilitySourceJson } from "@wharf/contract/messages";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { sourceTexts } from "../../../texts/sources.ts";
import { toast, toastError } from "../../../ui/toast.tsx";

/** Requests an import now. */
export function RunSource({ source: { uid = "", name = "" } }: Of) {
  const run = useChange(api.vulnerabilitySources.run);
  const refresh = useExposureRefresh();
  return (
    <button
      type="button"
      className="button quiet small"
      disabled={run.isPending}
      onClick={() =>
        run.mutateAsync({ uid }).then(() => {
          refresh();
          return toast(sourceTexts.running(name));
        }, toastError)
      }
    >
      {sourceTexts.run}
    </button>
  );
}

/** Pauses or resumes the imports of a source. */
export function PauseSource({ source: { uid = "", name = "", paused = false } }: Of) {
  const update = useChange(api.vulnerabilitySources.update);
  return (
    <button
      type="button"
      className="button quiet small"
      disabled={update.isPending}
      onClick={() =>
        update
          .mutateAsync({ vulnerabilitySource: { uid, paused: !paused }, updateMask: "paused" })
          .then(
            () => toast(paused ? sourceTexts.resumed(name) : sourceTexts.paused(name)),
            toastError,
          )
      }
    >
      {paused ? sourceTexts.resume : sourceTexts.pause}
    </button>
  );
}

interface Of {
  readonly source: VulnerabilitySourceJson;
}
