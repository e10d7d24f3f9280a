import { ACTIONS, NOT_AFFECTED } from "../publish/openvex.ts";
import type { Plan } from "./vex.ts";

const PLANS: Readonly<Record<string, Plan>> = {
  truePositiveDetermination: "fix",
  pendingUpstreamFix: "upstream",
  fixNotPlanned: "none",
  analysisNotPlanned: "no-analysis",
};

/**
 * What a text says that we wrote ourselves: VEX has no word for the plans behind "affected", so they
 * are told in sentences, before the note.
 *
 * @example ownWords("A fix is not planned. End of life.") // { plan: "none", note: "End of life." }
 */
export function ownWords(text: string): { readonly plan?: Plan; readonly note: string } {
  if (text === NOT_AFFECTED) return { note: "" };
  for (const [kind, sentence] of Object.entries(ACTIONS)) {
    const plan = PLANS[kind];
    if (plan === undefined) continue;
    if (text === sentence) return { plan, note: "" };
    if (text.startsWith(`${sentence} `)) return { plan, note: text.slice(sentence.length + 1) };
  }
  return { note: text };
}
