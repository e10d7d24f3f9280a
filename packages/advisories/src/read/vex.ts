import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
  type ReviewState,
} from "@wharf/contract/messages";
import { type Artifact, advisoryOn, idFor } from "./artifact.ts";
import { type EventType, eventAt, falsePositive, fixedIn } from "./events.ts";
import { timeKey } from "./time.ts";

/** What is to become of what is affected. */
export type Plan = "fix" | "none" | "upstream" | "no-analysis" | "fixed" | "patched";

/** How a product stands, whichever format of VEX says so. */
export type Standing =
  | {
      readonly status: "fixed";
      readonly version: string;
      /** Whether it says that it is one of several. */
      readonly isPatched: boolean;
      readonly note: string;
    }
  | {
      readonly status: "affected";
      readonly plan: Plan;
      readonly note: string;
    }
  | { readonly status: "under_investigation"; readonly note: string }
  | {
      readonly status: "not_affected";
      readonly because: FalsePositive;
      readonly note: string;
    };

/** What a document says of one vulnerability in one product at one time. */
export interface Statement {
  readonly artifact: Artifact;
  readonly vulnerability: string;
  readonly aliases: readonly string[];
  /** Where the document names the advisory itself. */
  readonly advisoryId: string | undefined;
  readonly time: Timestamp;
  readonly author: string;
  readonly reviewState: ReviewState;
  readonly standing: Standing;
}

export const JUSTIFICATIONS: ReadonlyMap<string, FalsePositive> = new Map([
  ["component_not_present", FalsePositive.COMPONENT_VULNERABILITY_MISMATCH],
  ["vulnerable_code_not_present", FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE],
  ["vulnerable_code_not_in_execute_path", FalsePositive.VULNERABLE_CODE_NOT_IN_EXECUTION_PATH],
  [
    "vulnerable_code_cannot_be_controlled_by_adversary",
    FalsePositive.VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY,
  ],
  ["inline_mitigations_already_exist", FalsePositive.INLINE_MITIGATIONS_EXIST],
]);

/**
 * What counts when a document says several things of one artifact at one time, of its versions: a
 * fix tells from which one on; without it, the worst does.
 */
const RANK = ["fixed", "affected", "under_investigation", "not_affected"] as const;

/**
 * The advisories that statements come to: one for each vulnerability in each artifact, with one
 * event for each time that something is said of it.
 *
 * @example advisoriesFrom(statements)
 */
export function advisoriesFrom(statements: readonly Statement[]): Advisory[] {
  const byAdvisory = Map.groupBy(statements, (one) => one.advisoryId ?? idOf(one));
  return [...byAdvisory].map(([advisoryId, own]) => {
    const first = own[0] as Statement;
    const byTime = Map.groupBy(own, ({ time }) => timeKey(time));
    return advisoryOn(first.artifact, {
      advisoryId,
      author: first.author,
      aliases: [...new Set(own.flatMap((one) => [one.vulnerability, ...one.aliases]))].filter(
        (alias) => alias !== advisoryId,
      ),
      events: [...byTime.values()].map(eventOf),
    });
  });
}

function idOf({ artifact, vulnerability }: Statement): string {
  return idFor(artifact, vulnerability);
}

function eventOf(statements: readonly Statement[]) {
  const first = statements[0] as Statement;
  const standings = statements.map(({ standing }) => standing);
  const status = RANK.find((rank) => standings.some((one) => one.status === rank));
  const chosen = standings.filter((one) => one.status === status);
  return eventAt(first.time, typeOf(chosen), first);
}

function typeOf(standings: readonly Standing[]): EventType {
  const first = standings[0] as Standing;
  const note = [...new Set(standings.map((one) => one.note))].filter(Boolean).join("\n");
  switch (first.status) {
    case "fixed":
      return fixes(standings, note);
    case "under_investigation":
      return { case: "detection", value: { type: { case: "manual", value: {} } } };
    case "not_affected":
      return falsePositive(first.because, note);
    case "affected":
      return PLANS[first.plan](note);
  }
}

const PLANS: Readonly<Record<Plan, (note: string) => EventType>> = {
  fix: (note) => ({ case: "truePositiveDetermination", value: { note } }),
  none: (note) => ({ case: "fixNotPlanned", value: { note } }),
  "no-analysis": (note) => ({ case: "analysisNotPlanned", value: { note } }),
  upstream: (note) => ({ case: "pendingUpstreamFix", value: { note } }),
  fixed: (note) => ({ case: "fixed", value: { fixedVersion: "", note } }),
  patched: (note) => ({ case: "patched", value: { patchedVersions: [], note } }),
};

function fixes(standings: readonly Standing[], note: string): EventType {
  const fixed = standings.filter((one) => one.status === "fixed");
  const versions = [...new Set(fixed.map(({ version }) => version).filter(Boolean))];
  if (!fixed.some(({ isPatched }) => isPatched)) return fixedIn(versions, note);
  return { case: "patched", value: { patchedVersions: versions, note } };
}
