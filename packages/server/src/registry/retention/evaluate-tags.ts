import type { RetentionPolicy, RetentionRule } from "@wharf/contract";
import { matchesAny } from "@wharf/contract/glob";
import type { TagState } from "../../store/tables/registry/retention.ts";
import { DAY_MS } from "./effective-policy.ts";
import type { RepoState } from "./repo-state.ts";

/** Why no rule keeps a tag any more. */
export interface Lapse {
  /** The first rule that matches the tag; empty if there is none. */
  readonly rule: string;
  readonly reason: string;
}

/** A tag that a policy does not keep. */
export interface LapsedTag extends TagState, Lapse {}

/** The tags that each rule with a number keeps by it, the last push first; undefined for other rules. */
export type NewestTags = readonly (readonly TagState[] | undefined)[];

export interface TagEvaluation {
  readonly lapsed: readonly LapsedTag[];
  readonly newest: NewestTags;
}

/** Lets others use the event loop. */
export interface Pausing {
  pause(): Promise<void> | undefined;
}

/** Tags between pauses. */
const STRIDE = 200;

/** Decides which tags of a repo no rule of a policy keeps. */
export async function evaluateTags(
  policy: RetentionPolicy,
  state: RepoState,
  now: number,
  task: Pausing,
): Promise<TagEvaluation> {
  const newest = await selectNewest(policy, state.tags, task);
  const lapsed: LapsedTag[] = [];
  for (const [at, tag] of state.tags.entries()) {
    if (at % STRIDE === 0) await task.pause();
    const lapse = lapseOf(policy, state, newest, tag, now);
    if (lapse !== undefined) lapsed.push({ ...tag, ...lapse });
  }
  return { lapsed, newest };
}

/**
 * Why a tag goes; undefined if it stays. Tags that belong to an image, such as its signature, go with the image and never by
 * themselves.
 */
export function lapseOf(
  policy: RetentionPolicy,
  state: RepoState,
  newest: NewestTags,
  tag: TagState,
  now: number,
): Lapse | undefined {
  if (policy.keep.length === 0 || subjectOf(tag.name) !== undefined) return undefined;
  if (state.rules.about("protected", tag.name) !== undefined) return undefined;
  let first: Lapse | undefined;
  for (const [at, rule] of policy.keep.entries()) {
    if (!matchesAny(rule.tags, tag.name)) continue;
    const reason = failedCondition(rule, state, newest[at], tag, now);
    if (reason === undefined) return undefined;
    first ??= { rule: rule.name, reason };
  }
  return first ?? { rule: "", reason: "no rule matches it" };
}

/** The first condition of a rule that does not hold for a tag. */
function failedCondition(
  rule: RetentionRule,
  state: RepoState,
  newest: readonly TagState[] | undefined,
  tag: TagState,
  now: number,
): string | undefined {
  const { pushedWithinDays, pulledWithinDays } = rule;
  const last = newest?.at(-1);
  if (newest?.length === rule.newest && last !== undefined && comparePushes(tag, last) > 0)
    return `not one of the newest ${rule.newest}`;
  if (pushedWithinDays > 0 && tag.pushed < now - pushedWithinDays * DAY_MS)
    return `not pushed within ${pushedWithinDays} days`;
  if (pulledWithinDays > 0 && lastPull(rule, state, tag) < now - pulledWithinDays * DAY_MS)
    return `not pulled within ${pulledWithinDays} days`;
  if (rule.deployed && !state.isDeployed) return "its repo has no deployment";
  return undefined;
}

/** The last pull of the image of a tag, or of one of its parts, that counts for a rule. */
function lastPull(rule: RetentionRule, { manifests, pulls }: RepoState, { digest }: TagState) {
  const { pulledBy, notPulledBy } = rule;
  let last = 0;
  for (const one of [digest, ...(manifests.get(digest)?.children ?? [])]) {
    if (pulledBy.length + notPulledBy.length === 0) {
      last = Math.max(last, manifests.get(one)?.pulled ?? 0);
      continue;
    }
    for (const [, identity, time] of pulls.get(one) ?? []) {
      if (pulledBy.length > 0 && !pulledBy.includes(identity)) continue;
      if (!notPulledBy.includes(identity)) last = Math.max(last, time);
    }
  }
  return last;
}

async function selectNewest(
  { keep }: RetentionPolicy,
  tags: readonly TagState[],
  task: Pausing,
): Promise<NewestTags> {
  const all: (readonly TagState[] | undefined)[] = [];
  for (const rule of keep) {
    let best: TagState[] = [];
    for (const [at, tag] of tags.entries()) {
      if (at % STRIDE === 0) await task.pause();
      if (rule.newest === 0 || subjectOf(tag.name) !== undefined) continue;
      if (matchesAny(rule.tags, tag.name)) best.push(tag);
      if (best.length > rule.newest * 2 + STRIDE) best = firstOf(best, rule.newest);
    }
    all.push(rule.newest === 0 ? undefined : firstOf(best, rule.newest));
  }
  return all;
}

function firstOf(tags: TagState[], count: number): TagState[] {
  return tags.sort(comparePushes).slice(0, count);
}

/** The last push first; among those of the same time, by name. */
export function comparePushes(one: TagState, other: TagState): number {
  return other.pushed - one.pushed || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}

const REFERRER = /^sha256-(?<hex>[0-9a-f]{64})(?:\.(?:sig|att|sbom))?$/;

/** The digest of the image that a tag of cosign, or of a client without the referrers API, belongs to. */
export function subjectOf(name: string): string | undefined {
  if (!name.startsWith("sha256-")) return undefined;
  const hex = REFERRER.exec(name)?.groups?.hex;
  return hex && `sha256:${hex}`;
}
