import type { Decision } from "@wharf/client";
import { ancestorsOf, DecisionReviewState, FindingStatus, isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { statusWord, VULNERABILITY, wordOf } from "../exposure/columns.ts";
import { type Column, UID } from "../output/columns.ts";
import { ancestorPath, groupNames, namesOf } from "../resolve/group-names.ts";
import { resolveGroupOrRepo } from "../resolve/group-or-repo.ts";
import { resolveScope } from "../resolve/groups.ts";
import { type Kind, REPO } from "../resolve/kinds.ts";
import { MAX_CANDIDATES, onlyMatch } from "../resolve/names.ts";
import type { FilterArgs } from "../resource/commands.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { definedFields, readFutureTime } from "../resource/values.ts";
import type { StyleName } from "../terminal/terminal.ts";
import type {
  approveDefinition,
  createDefinition,
  FILTERS,
  rejectDefinition,
  STATES,
  STATUSES,
} from "./commands.ts";

const DECISION: Kind<Decision> = {
  one: "decision",
  many: "decisions",
  listCommand: "wharf decisions list",
  service: ({ decisions }) => decisions,
  label: ({ vulnerability, status }) => `${vulnerability} (${statusWord(status)})`,
  hint: ({ reason, uid }) => reason || uid,
};

const NUMBERS: Readonly<Record<(typeof STATUSES)[number], FindingStatus>> = {
  "not-affected": FindingStatus.NOT_AFFECTED,
  fixed: FindingStatus.FIXED,
  accepted: FindingStatus.ACCEPTED,
  affected: FindingStatus.AFFECTED,
};

const STATE_NUMBERS: Readonly<Record<(typeof STATES)[number], DecisionReviewState>> = {
  pending: DecisionReviewState.PENDING,
  approved: DecisionReviewState.APPROVED,
  rejected: DecisionReviewState.REJECTED,
};

const STYLES: Readonly<Record<number, StyleName>> = {
  [DecisionReviewState.PENDING]: "yellow",
  [DecisionReviewState.APPROVED]: "green",
};

const COLUMNS: readonly Column<Decision>[] = [
  { header: "Status", value: ({ status }) => statusWord(status) },
  {
    header: "Review",
    value: ({ reviewState }) => wordOf(DecisionReviewState, reviewState),
    style: ({ reviewState }) => STYLES[reviewState],
  },
  { header: "Reason", value: ({ reason, justification }) => reason || justification },
  { header: "Author", value: ({ authorName, author }) => authorName || author },
  { header: "Until", value: ({ expireTime }) => expireTime },
  UID,
  { header: "Package", value: (one) => one.package, wide: true },
  { header: "Digest", value: ({ digest }) => digest, wide: true },
  { header: "Justification", value: ({ justification }) => justification, wide: true },
  {
    header: "Reviewer",
    value: ({ reviewerName, reviewer }) => reviewerName || reviewer,
    wide: true,
  },
  { header: "Review reason", value: ({ reviewReason }) => reviewReason, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

export const resource: Resource<Decision, FilterArgs<typeof FILTERS>> = {
  kind: DECISION,
  columns: withPath,
  find: (context, text) => findDecision(context, text),
  async select(context, args) {
    const { vulnerability, state, orderBy } = args;
    const request = {
      uidp: await resolveScope(context, args),
      ...definedFields({
        vulnerability,
        orderBy,
        reviewState: state && STATE_NUMBERS[state],
      }),
    };
    const { decisions } = await context.client();
    return decisions.listAll(request, { signal: context.signal });
  },
};

/** Columns with the path of the group or repo that each decision applies to. */
async function withPath(
  context: Context,
  items: readonly Decision[],
): Promise<readonly Column<Decision>[]> {
  const uids = items.flatMap(({ uid }) => ancestorsOf(uid));
  const [groups, repos] = await Promise.all([
    groupNames(context, uids),
    namesOf(context, REPO, uids),
  ]);
  const names = new Map([...groups, ...repos]);
  const path = ({ uid }: Decision) => ancestorPath(names, uid).replace(/\/$/, "");
  return [VULNERABILITY, { header: "Applies to", value: path }, ...COLUMNS];
}

/** Finds a decision by UID, or the only one about a vulnerability. */
async function findDecision(
  context: Context,
  text: string,
  reviewState?: DecisionReviewState,
): Promise<Decision> {
  const { decisions } = await context.client();
  const { signal } = context;
  if (isUid(text)) return decisions.get({ uid: text }, { signal });
  const request = { vulnerability: text, ...definedFields({ reviewState }) };
  const found = await Array.fromAsync(decisions.listAll(request, { signal }));
  return onlyMatch(context, DECISION, text, found.slice(0, MAX_CANDIDATES), { words: ABOUT });
}

const ABOUT = ["is about", "are about"] as const;

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { vulnerability, status, justification, reason, digest, until } = args;
  if (status === "accepted" && until === undefined) {
    throw usageError("--status accepted requires --until", "risks are accepted until a time");
  }
  const decision = {
    ...{ vulnerability, status: NUMBERS[status] },
    ...definedFields({
      ...{ justification, reason, digest, package: args.package },
      expireTime: until === undefined ? undefined : readFutureTime("--until", until),
    }),
  };
  const parent = await resolveGroupOrRepo(context, args);
  const { decisions } = await context.client();
  const created = await decisions.create({ parent, decision }, { signal: context.signal });
  const waits = created.reviewState === DecisionReviewState.PENDING;
  context.err.note(
    waits
      ? `created decision ${created.uid}, which takes effect once somebody else approves it`
      : `created decision ${created.uid}`,
  );
  await printOne(context, resource, created);
};

export const approve: Run<typeof approveDefinition> = (context, args) =>
  review(context, args, DecisionReviewState.APPROVED);

export const reject: Run<typeof rejectDefinition> = (context, args) =>
  review(context, args, DecisionReviewState.REJECTED);

async function review(
  context: Context,
  { decision, reason = "" }: { readonly decision: string; readonly reason?: string | undefined },
  state: DecisionReviewState,
): Promise<void> {
  const { uid } = await findDecision(context, decision, DecisionReviewState.PENDING);
  const { decisions } = await context.client();
  const reviewed = await decisions.review({ uid, state, reason }, { signal: context.signal });
  const word = wordOf(DecisionReviewState, reviewed.reviewState);
  context.err.note(`${word} the decision about ${reviewed.vulnerability}`);
  await printOne(context, resource, reviewed);
}
