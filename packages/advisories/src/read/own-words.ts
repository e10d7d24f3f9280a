import { ACTIONS, FIXES, NOT_AFFECTED, NOT_KNOWN } from "../publish/sentences.ts";
import type { At } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import type { Plan } from "./vex.ts";

const PLANS: Readonly<Record<keyof typeof ACTIONS, Plan>> = {
  truePositiveDetermination: "fix",
  pendingUpstreamFix: "upstream",
  fixNotPlanned: "none",
  analysisNotPlanned: "no-analysis",
  fixed: "fixed",
  patched: "patched",
};

/** What a text says that we may have written ourselves. */
export interface Words {
  readonly plan?: Plan;
  readonly isPatched?: boolean;
  readonly note: string;
}

/**
 * The words of a place about what is affected or fixed. VEX has no word for the plans behind "affected",
 * so we tell them in sentences, before the note.
 *
 * @example ownWords(at) // { plan: "none", note: "End of life." }
 */
export function ownWords(at: At): Words {
  const text = at.textIfAny(READ_LIMITS.textLength + READ_LIMITS.sentenceLength);
  for (const [kind, sentence] of Object.entries(ACTIONS)) {
    const note = after(sentence, text);
    if (note !== undefined) return { plan: PLANS[kind as keyof typeof ACTIONS], note };
  }
  for (const [kind, sentence] of Object.entries(FIXES)) {
    const note = after(sentence, text);
    if (note !== undefined) return { isPatched: kind === "patched", note };
  }
  return { note: at.textIfAny() };
}

/** The words of a place about what is not affected, or not known to be. */
export function ownImpact(at: At): string {
  const text = at.textIfAny();
  return text === NOT_AFFECTED || text === NOT_KNOWN ? "" : text;
}

function after(sentence: string, text: string): string | undefined {
  if (text === sentence) return "";
  return text.startsWith(`${sentence} `) ? text.slice(sentence.length + 1) : undefined;
}
