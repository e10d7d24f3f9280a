import { AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive } from "@wharf/contract/messages";
import { ACTIONS, CONTESTED, FIXES, NOT_AFFECTED, NOT_KNOWN } from "../publish/sentences.ts";
import type { DocumentNode } from "./document-node.ts";
import type { Plan } from "./vex.ts";

const PLANS: Readonly<Record<keyof typeof ACTIONS, Plan>> = {
  truePositiveDetermination: "fix",
  pendingUpstreamFix: "upstream",
  fixNotPlanned: "none",
  analysisNotPlanned: "no-analysis",
  fixed: "fixed",
  patched: "patched",
};

/** A text that Wharf may have published: a sentence that encodes the plan, then the note. */
export interface Sentence {
  readonly plan?: Plan;
  readonly isPatched?: boolean;
  readonly note: string;
}

/**
 * Parses a text about an affected or fixed product. VEX has no field for the plan behind "affected", so
 * documents of Wharf encode it as a sentence before the note.
 *
 * @example parseSentence(node) // { plan: "none", note: "End of life." }
 */
export function parseSentence(node: DocumentNode): Sentence {
  const text = node.optionalText(node.limits.textLength + node.limits.sentenceLength);
  for (const [kind, sentence] of Object.entries(ACTIONS)) {
    const note = after(sentence, text);
    if (note !== undefined) return { plan: PLANS[kind as keyof typeof ACTIONS], note };
  }
  for (const [kind, sentence] of Object.entries(FIXES)) {
    const note = after(sentence, text);
    if (note !== undefined) return { isPatched: kind === "patched", note };
  }
  return { note: node.optionalText() };
}

/** A text about a product that is not affected, or under investigation. */
export interface Impact {
  /** The reason that a sentence of Wharf encodes. */
  readonly because?: FalsePositive;
  readonly note: string;
}

/**
 * Parses a text about a product that is not affected, or under investigation.
 *
 * @example parseImpact(node) // { note: "The code is not compiled." }
 */
export function parseImpact(node: DocumentNode): Impact {
  const long = node.optionalText(node.limits.textLength + node.limits.sentenceLength);
  const contested = after(CONTESTED, long);
  if (contested !== undefined) {
    return { because: FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED, note: contested };
  }
  const text = node.optionalText();
  return { note: text === NOT_AFFECTED || text === NOT_KNOWN ? "" : text };
}

function after(sentence: string, text: string): string | undefined {
  if (text === sentence) return "";
  return text.startsWith(`${sentence} `) ? text.slice(sentence.length + 1) : undefined;
}
