import { CVE } from "../../support/exposure/pushed-images.ts";
import type { Recorder } from "../recorder.ts";
import { recordedImages } from "./exposure-images.ts";

/** A decision about a vulnerability, from its text to its review. */
export async function exposureDecisions(record: Recorder): Promise<void> {
  const { organization, repo } = await recordedImages(record);
  const method = (name: string) => `DecisionsService_${name}`;
  const { uid: path } = await record.body(method("CreateDecision"), {
    path: repo,
    body: {
      vulnerability: CVE,
      status: "FINDING_STATUS_NOT_AFFECTED",
      justification: "vulnerable_code_not_in_execute_path",
    },
  });
  await record.call(method("UpdateDecision"), {
    path,
    body: { reason: "The function is never called." },
  });
  const { token } = await record.world.member({ [organization]: "owner" });
  await record.call(method("ReviewDecision"), {
    path,
    body: { state: "DECISION_REVIEW_STATE_APPROVED", reason: "Agreed." },
    token,
  });
  await record.call(method("GetDecision"), { path });
  await record.call(method("ListDecisions"), { query: { "uidp.children_of": repo } });
  await record.call(method("DeleteDecision"), { path });
}
