import type { DescMethod } from "@bufbuild/protobuf";
import { GroupsService, ReposService, TagsService } from "@wharf/contract";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { Mutation } from "../../engine/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";

/** On whose behalf, and when, what a registry tells us changes things here. */
export interface Occasion {
  /** Who is noted for it. */
  readonly actor: string;
  readonly time: number;
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly userAgent: string;
}

const METHODS = {
  group: GroupsService.method.createGroup,
  repo: ReposService.method.createRepo,
  repoDeletion: ReposService.method.deleteRepo,
  tag: TagsService.method.createTag,
  tagDeletion: TagsService.method.deleteTag,
} satisfies Record<string, DescMethod>;

const NEVER = new AbortController().signal;

/**
 * A change that nobody called for: a registry told, or we looked. It is kept as if the method had
 * been called.
 *
 * @example await recordTag(changeFor(engine, tx, "tag", occasion), repo.uid, news);
 */
export function changeFor(
  engine: Engine,
  tx: Transaction,
  what: keyof typeof METHODS,
  occasion: Occasion,
  caller: Caller = OPERATOR,
): Mutation {
  const { actor, ...told } = occasion;
  const rest = { authorization: undefined, format: "json", signal: NEVER } as const;
  const call: Call = { ...told, ...rest, method: METHODS[what], caller };
  // Reconciled state bypasses quotas: it already exists upstream.
  return new Mutation(call, tx, engine, { actor, enforcesQuotas: false });
}
