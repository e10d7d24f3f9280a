import { randomUUID } from "node:crypto";
import { equals } from "@bufbuild/protobuf";
import { parentOf, type RetentionPolicy, RetentionPolicySchema } from "@wharf/contract";
import { OPERATOR_UID } from "../../auth/caller.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import {
  announceExpirations,
  forgetExpirations,
  type TagState,
  tagStates,
} from "../../store/tables/registry/retention.ts";
import { type MutationOrigin, systemMutation } from "../ingest/system-mutation.ts";
import { lockRepo, removeTag } from "../ingest/tag-state.ts";
import { DAY_MS, effectivePolicy } from "./effective-policy.ts";
import { lapseOf, type NewestTags } from "./evaluate-tags.ts";
import type { PlannedTag, RepoPlan } from "./plan.ts";
import { readTagsAgain } from "./repo-state.ts";

/** The evaluation of a repo that is being carried out. */
export interface RepoRun {
  readonly repo: string;
  /** The path of the repo. */
  readonly path: string;
  readonly policy: RetentionPolicy;
  /** The path of the group or repo of the policy. */
  readonly policyPath: string;
  readonly plan: RepoPlan;
  readonly now: number;
}

/** Thrown if the repo or its policy has changed, so that it must be evaluated again. */
export class OutdatedPlan extends Error {}

/** The policy as the actor in audit log and events. */
export function originOf({ policyPath, now }: RepoRun): MutationOrigin {
  const actor = { actor: OPERATOR_UID, actorName: `retention policy of ${policyPath}` };
  return { ...actor, time: now, requestId: randomUUID(), remoteAddress: "", userAgent: "" };
}

/** Locks the repo, and rejects if another policy applies by now. */
export async function lockForRetention(
  deps: WriteDeps,
  tx: Transaction,
  run: RepoRun,
): Promise<ReturnType<typeof systemMutation>> {
  const mutation = systemMutation(deps, tx, "tagDeletion", originOf(run));
  await lockRepo(mutation, run.repo);
  const policy = await effectivePolicy(deps.catalog, tx, run.repo);
  if (policy === undefined || !equals(RetentionPolicySchema, policy, run.policy))
    throw new OutdatedPlan("another policy applies");
  return mutation;
}

/** Announces the deletion of tags, each with an event; revokes announcements that hold no longer. */
export async function announceTags(
  deps: WriteDeps,
  tx: Transaction,
  run: RepoRun,
  batch: readonly PlannedTag[],
): Promise<void> {
  const { repo, policy, now } = run;
  await lockForRetention(deps, tx, run);
  const tags = await stillLapsed(deps, tx, run, batch);
  const notice = policy.announceDays * DAY_MS;
  const expires = now + notice;
  await announceExpirations(tx, { repo, policy: policy.uid, notice, expires }, tags);
  for (const { name, digest } of tags) {
    writeEvent(tx, {
      id: newEventId(now),
      time: now,
      type: "registry.tag.expiring.v1",
      subject: repo,
      group: parentOf(repo),
      actor: OPERATOR_UID,
      bodyType: "",
      body: JSON.stringify({
        ...{ repository: run.path, repo_id: repo, tag: name, digest },
        ...{ delete_time: new Date(expires).toISOString(), retention_policy_id: policy.uid },
      }),
    });
  }
}

/** Revokes announcements of tags that stay after all. */
export async function revokeAnnouncements(
  deps: WriteDeps,
  tx: Transaction,
  run: RepoRun,
  batch: readonly TagState[],
): Promise<void> {
  await lockForRetention(deps, tx, run);
  const names = batch.map(({ name }) => name);
  await forgetExpirations(tx, run.repo, names);
}

/** Deletes tags whose time has come and that nothing keeps by now. Returns their number. */
export async function deleteTags(
  deps: WriteDeps,
  tx: Transaction,
  run: RepoRun,
  batch: readonly PlannedTag[],
): Promise<number> {
  const { repo, policy, now } = run;
  const mutation = await lockForRetention(deps, tx, run);
  let count = 0;
  for (const { name, expires, pushed } of await stillLapsed(deps, tx, run, batch)) {
    // A push has postponed it, or it was never announced.
    if (expires > now || (expires === 0 && policy.announceDays > 0)) continue;
    if (await removeTag(mutation, repo, name, Math.max(now, pushed))) count += 1;
  }
  return count;
}

/** The tags of a batch that have not changed and that nothing keeps, by what the transaction sees. */
async function stillLapsed(
  { catalog }: WriteDeps,
  tx: Transaction,
  { repo, policy, plan, now }: RepoRun,
  batch: readonly PlannedTag[],
): Promise<TagState[]> {
  await confirmNewest(tx, repo, plan.newest);
  const planned = new Map(batch.map((tag) => [tag.name, tag]));
  const state = await readTagsAgain(catalog, tx, repo, policy, [...planned.keys()]);
  return state.tags.filter((tag) => {
    if (planned.get(tag.name)?.digest !== tag.digest) return false;
    return lapseOf(policy, state, plan.newest, tag, now) !== undefined;
  });
}

/**
 * A tag that is not among the newest becomes one of them only if one of those is deleted. So while they are there, the last
 * of them bounds the others.
 */
async function confirmNewest(tx: Transaction, repo: string, newest: NewestTags): Promise<void> {
  const expected = new Map(newest.flatMap((tags = []) => tags.map((tag) => [tag.name, tag])));
  if (expected.size === 0) return;
  const found = await tagStates(tx, repo, { names: [...expected.keys()] });
  const isSame = found.every(({ name, pushed }) => pushed >= (expected.get(name)?.pushed ?? 0));
  if (found.length !== expected.size || !isSame) throw new OutdatedPlan("a newest tag is gone");
}
