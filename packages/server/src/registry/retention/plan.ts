import type { RetentionPolicy } from "@wharf/contract";
import type { TagState } from "../../store/tables/registry/retention.ts";
import { DAY_MS } from "./effective-policy.ts";
import { evaluateImages, type ImageEvaluation } from "./evaluate-images.ts";
import {
  evaluateTags,
  type LapsedTag,
  type NewestTags,
  type Pausing,
  subjectOf,
} from "./evaluate-tags.ts";
import type { RepoState } from "./repo-state.ts";

/** A tag that is deleted at a time. */
export interface PlannedTag extends LapsedTag {
  readonly expires: number;
  readonly isAnnounced: boolean;
}

/** The deletions of a policy in a repo, with their times, if nothing changes. */
export interface RepoPlan {
  readonly tags: readonly PlannedTag[];
  /** Announced tags that stay after all. */
  readonly revoked: readonly TagState[];
  readonly newest: NewestTags;
  readonly images: ImageEvaluation;
}

const NO_IMAGES: ImageEvaluation = { lapsed: [], newlyUntagged: [], newlyTagged: [] };

/** Evaluates a policy for a repo. Depends on its arguments alone. */
export async function planOf(
  policy: RetentionPolicy,
  state: RepoState,
  now: number,
  task: Pausing,
): Promise<RepoPlan> {
  const { lapsed, newest } = await evaluateTags(policy, state, now, task);
  const tags = lapsed.map((tag): PlannedTag => {
    const isAnnounced = tag.policy === policy.uid && tag.expires > 0;
    const expires = isAnnounced ? tag.expires : now + policy.announceDays * DAY_MS;
    return { ...tag, expires, isAnnounced };
  });
  const going = new Map(tags.map(({ name, expires }) => [name, expires]));
  const revoked = state.tags.filter(({ name, expires }) => expires > 0 && !going.has(name));
  const images =
    policy.untaggedDays === 0 ? NO_IMAGES : await evaluateImages(policy, state, going, now, task);
  return { tags: [...tags, ...tagsOfImages(state, images)], revoked, newest, images };
}

/** Tags that belong to an image, and go with it. */
function tagsOfImages({ tags, rules }: RepoState, { lapsed }: ImageEvaluation): PlannedTag[] {
  const expirations = new Map(lapsed.map(({ digest, expires }) => [digest, expires]));
  const found: PlannedTag[] = [];
  for (const tag of tags) {
    const subject = subjectOf(tag.name);
    if (subject === undefined || rules.about("protected", tag.name) !== undefined) continue;
    const expires = expirations.get(subject) ?? expirations.get(tag.digest);
    if (expires === undefined) continue;
    found.push({ ...tag, expires, isAnnounced: false, rule: "", reason: "its image is deleted" });
  }
  return found;
}
