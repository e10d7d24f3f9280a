import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { parsePackageUrl } from "@wharf/advisories/package-url";
import {
  type Decision,
  DecisionReviewState,
  DecisionSchema,
  DecisionsService,
  FindingStatus,
  parentOf,
  type ReviewDecisionRequest,
} from "@wharf/contract";
import type { MethodDeps } from "../engine/definition.ts";
import { Resource } from "../engine/resource.ts";
import { groupOrRepo } from "../engine/write/group-or-repo.ts";
import { Mutation } from "../engine/write/mutation.ts";
import { nextUpdateTime } from "../engine/write/update-time.ts";
import {
  type FieldViolation,
  failedPrecondition,
  invalidArgument,
  notFound,
} from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { preparedReply } from "../rpc/reply.ts";
import type { Transaction } from "../store/db/commit/transaction.ts";
import { indexable } from "../store/resources/indexable.ts";
import { requestWork } from "../store/tables/exposure/work/work.ts";
import { vulnerabilityWork } from "./matching/request-assessment.ts";

/** Statuses that a decision can give. */
const STATUSES: ReadonlySet<FindingStatus> = new Set([
  FindingStatus.AFFECTED,
  FindingStatus.NOT_AFFECTED,
  FindingStatus.FIXED,
  FindingStatus.ACCEPTED,
]);

const REVIEWS: ReadonlySet<DecisionReviewState> = new Set([
  DecisionReviewState.APPROVED,
  DecisionReviewState.REJECTED,
]);

/**
 * Decisions of an organization about vulnerabilities in its images. A decision is written by one identity and approved by
 * another; an identity that changes one is its author from then on.
 */
export const decisions: Resource<Decision> = new Resource({
  service: DecisionsService,
  schema: DecisionSchema,
  table: "decisions",
  index: {
    nameOf: ({ vulnerability }) => vulnerability,
    childOrders: ["updated"],
    filters: [
      {
        field: "vulnerability",
        column: "vulnerability",
        type: "text",
        of: ({ vulnerability }) => indexable(vulnerability),
      },
      {
        field: "reviewState",
        column: "review_state",
        type: "integer",
        of: ({ reviewState }) => reviewState,
      },
    ],
  },
  hooks: {
    resolveParent: groupOrRepo,
    beforeCreate(mutation, created) {
      check(created, mutation.call.time);
      write(created, mutation);
    },
    async beforeUpdate(mutation, before, after) {
      if (hasSameContent(before, after)) return;
      check(after, mutation.call.time);
      write(after, mutation);
      await requestEffect(mutation.tx, before);
    },
    beforeDelete: ({ tx }, deleted) => requestEffect(tx, deleted),
  },
  methods: (deps) => [[DecisionsService.method.reviewDecision, review(deps)]],
});

/** Content that was not reviewed, by the caller. */
function write(decision: Decision, { caller }: Mutation): void {
  decision.author = caller.uid;
  decision.authorName = caller.name ?? "";
  decision.reviewState = DecisionReviewState.PENDING;
  decision.reviewer = "";
  decision.reviewerName = "";
  decision.reviewReason = "";
  delete decision.reviewTime;
}

function hasSameContent(one: Decision, other: Decision): boolean {
  const contentOf = (decision: Decision) => [
    ...[decision.vulnerability, decision.package, decision.digest, decision.status],
    ...[decision.justification, decision.reason, expiryOf(decision)],
  ];
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}

/** When a decision expires, in milliseconds; undefined if it does not. */
export function expiryOf({ expireTime }: Decision): number | undefined {
  return expireTime && timestampMs(expireTime);
}

/** Requests the assessment of the images that an approved decision applies to. Others have no effect. */
async function requestEffect(tx: Transaction, decision: Decision): Promise<void> {
  if (decision.reviewState !== DecisionReviewState.APPROVED) return;
  const { uid, vulnerability } = decision;
  await requestWork(tx, [vulnerabilityWork(parentOf(uid), indexable(vulnerability))]);
}

function check(decision: Decision, now: number): void {
  const found = [...contentProblems(decision), ...expiryProblems(decision, now)];
  if (found.length > 0) throw invalidArgument(...found);
}

function contentProblems(decision: Decision): FieldViolation[] {
  const { vulnerability, package: purl, status, justification, reason } = decision;
  const found: FieldViolation[] = [];
  const add = (field: string, description: string) => found.push({ field, description });
  if (vulnerability.trim() !== vulnerability || vulnerability === "") {
    add("vulnerability", "must be a name such as CVE-2026-1234, without spaces around it");
  }
  const url = parsePackageUrl(purl);
  if (purl !== "" && url === undefined) {
    add("package", `${JSON.stringify(purl)} is not a package URL, such as pkg:npm/left-pad`);
  }
  if (url?.type === "oci") add("package", "is an image: set digest instead");
  if (!STATUSES.has(status)) {
    add("status", "must be affected, not affected, fixed or accepted");
  }
  const isNotAffected = status === FindingStatus.NOT_AFFECTED;
  if (justification !== "" && !isNotAffected) {
    add("justification", "is for decisions with the status not affected");
  }
  if (isNotAffected && justification === "" && reason.trim() === "") {
    add("reason", "not affected needs a justification or a reason");
  }
  return found;
}

function expiryProblems(decision: Decision, now: number): FieldViolation[] {
  const expires = expiryOf(decision);
  if (expires === undefined) {
    if (decision.status !== FindingStatus.ACCEPTED) return [];
    return [{ field: "expireTime", description: "a risk is accepted until a time: set it" }];
  }
  if (expires > now) return [];
  return [{ field: "expireTime", description: "must be in the future" }];
}

/** Approves or rejects a decision. */
function review(deps: MethodDeps): Handler {
  return async (call, message) => {
    const { uid, state, reason } = message as ReviewDecisionRequest;
    if (!REVIEWS.has(state)) {
      const description =
        "must be DECISION_REVIEW_STATE_APPROVED or DECISION_REVIEW_STATE_REJECTED";
      throw invalidArgument({ field: "state", description });
    }
    const row = await deps.store.writeFor(
      call,
      async (tx) => {
        const stored = await decisions.table.findForChange(tx, uid);
        if (stored === undefined) throw notFound(decisions.typeName, uid);
        const before = decisions.fromRow(stored);
        const mutation = new Mutation(call, tx, deps);
        checkReview(mutation, before, state);
        const { uid: reviewer, name: reviewerName = "" } = mutation.caller;
        const after = {
          ...before,
          reviewState: state,
          reviewer,
          reviewerName,
          reviewReason: reason,
        };
        after.reviewTime = timestampFromMs(call.time);
        after.updateTime = nextUpdateTime(before, call.time);
        await requestEffect(tx, before);
        await requestEffect(tx, after);
        const changedFields = ["review_state", "reviewer", "review_reason", "review_time"];
        return mutation.update(decisions, after, call.method, { changedFields });
      },
      [{ table: decisions.table, uid, mode: "change" }],
    );
    return preparedReply(row);
  };
}

function checkReview({ caller, call }: Mutation, before: Decision, state: DecisionReviewState) {
  const { uid: subject, author, reviewState } = before;
  if (reviewState === state) {
    const description = "the decision has been reviewed with this result already";
    throw failedPrecondition({ type: "DECISION_REVIEWED", subject, description });
  }
  if (state !== DecisionReviewState.APPROVED) return;
  if (author === caller.uid) {
    const description = "the author of a decision cannot approve it";
    throw failedPrecondition({ type: "REVIEWER_IS_AUTHOR", subject, description });
  }
  const expires = expiryOf(before);
  if (expires !== undefined && expires <= call.time) {
    const description = "the decision has expired: set a later expireTime first";
    throw failedPrecondition({ type: "DECISION_EXPIRED", subject, description });
  }
}
