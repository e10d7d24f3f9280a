import type { DescMethod } from "@bufbuild/protobuf";
import { GroupsService, ReposService, TagsService } from "@wharf/contract";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";

/** The cause and time of a mutation that no API call requested. */
export interface MutationOrigin {
  /** The actor in audit rows and events. */
  readonly actor: string;
  /** The name of the actor at the time, if it is not the caller. */
  readonly actorName?: string;
  readonly time: number;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
  /** Whether quotas apply. They do not by default: what attached registries report exists already. */
  readonly enforcesQuotas?: boolean;
}

const METHODS = {
  group: GroupsService.method.createGroup,
  repo: ReposService.method.createRepo,
  repoDeletion: ReposService.method.deleteRepo,
  tag: TagsService.method.createTag,
  tagDeletion: TagsService.method.deleteTag,
} satisfies Record<string, DescMethod>;

const NEVER_ABORTED = new AbortController().signal;

/**
 * A mutation caused by a notification or a reconcile pass. Its audit row and event are those of the
 * API method that does the same.
 */
export function systemMutation(
  deps: WriteDeps,
  tx: Transaction,
  method: keyof typeof METHODS,
  origin: MutationOrigin,
  caller: Caller = OPERATOR,
): Mutation {
  const { actor, actorName, enforcesQuotas = false, ...context } = origin;
  const fixed = {
    authorization: undefined,
    format: "json",
    signal: NEVER_ABORTED,
    via: "registry",
  } as const;
  const call: Call = { ...context, ...fixed, method: METHODS[method], caller };
  return new Mutation(call, tx, deps, {
    actor,
    ...(actorName && { actorName }),
    enforcesQuotas,
  });
}
