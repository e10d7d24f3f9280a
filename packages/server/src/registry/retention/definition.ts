import {
  RetentionPoliciesService,
  type RetentionPolicy,
  RetentionPolicySchema,
} from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import { groupOrRepo } from "../../engine/write/group-or-repo.ts";
import { type FieldViolation, invalidArgument } from "../../lib/errors.ts";
import { forgetUntagged } from "../../store/tables/registry/manifests.ts";
import { forgetAnnouncements } from "../../store/tables/registry/retention.ts";

/** The tags that one rule keeps by their number are read again in each transaction that deletes. */
const MAX_NEWEST = 1_000;

const MAX_DAYS = 3_650;

/** Deleted tags and announcements are rows. */
const MAX_NOTICE_DAYS = 90;

/** Retention policies of groups and repos: at most one each, under its uid. The nearest one to a repo applies. */
export const retentionPolicies: Resource<RetentionPolicy> = new Resource({
  service: RetentionPoliciesService,
  schema: RetentionPolicySchema,
  table: "retention_policies",
  tree: { uidIsParent: true },
  hooks: {
    resolveParent: groupOrRepo,
    async beforeCreate({ tx }, created) {
      checkPolicy(created);
      await forgetUntagged(tx, created.uid);
    },
    async beforeUpdate({ tx }, before, after) {
      checkPolicy(after);
      // Nobody has looked since the images were last kept.
      if (before.untaggedDays === 0) await forgetUntagged(tx, after.uid);
    },
    beforeDelete: ({ tx }, { uid }) => forgetAnnouncements(tx, uid),
  },
});

/** Rejects what no policy can mean. */
export function checkPolicy(policy: RetentionPolicy): void {
  const found: FieldViolation[] = [];
  const checkNumber = (field: string, value: number, max: number) => {
    if (value >= 0 && value <= max) return;
    found.push({ field, description: `must be from 0 to ${max}, not ${value}` });
  };
  checkNumber("untaggedDays", policy.untaggedDays, MAX_DAYS);
  checkNumber("announceDays", policy.announceDays, MAX_NOTICE_DAYS);
  checkNumber("restoreDays", policy.restoreDays ?? 0, MAX_NOTICE_DAYS);
  for (const [at, rule] of policy.keep.entries()) {
    const field = `keep[${at}]`;
    checkNumber(`${field}.newest`, rule.newest, MAX_NEWEST);
    checkNumber(`${field}.pushedWithinDays`, rule.pushedWithinDays, MAX_DAYS);
    checkNumber(`${field}.pulledWithinDays`, rule.pulledWithinDays, MAX_DAYS);
    if (rule.pulledWithinDays > 0 || rule.pulledBy.length + rule.notPulledBy.length === 0) continue;
    const description = "is required to say whose pulls count";
    found.push({ field: `${field}.pulledWithinDays`, description });
  }
  if (found.length > 0) throw invalidArgument(...found);
}
