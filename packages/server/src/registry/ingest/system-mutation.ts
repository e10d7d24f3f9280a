import type { DescMethod } from "@bufbuild/protobuf";
import { GroupsService, ReposService, TagsService } from "@wharf/contract";
import { type Caller, OPERATOR } from "../../auth/caller.ts";
import type { Engine } from "../../engine/engine.ts";
import { Change } from "../../engine/mutation.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/group-commit.ts";

/** On whose behalf, and when, what a registry tells us changes things here. */
export interface MutationOrigin {
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

/** What is so already is noted, whatever the limits of its group. */
class Noted extends Change {
  override readonly isLimited = false;
}

const NEVER = new AbortController().signal;

/**
 * A change that nobody called for: a registry told, or we looked. It is kept as if the method had
 * been called.
 *
 * @example await recordTag(systemMutation(engine, tx, "tag", origin), repo.uid, news);
 */
export function systemMutation(
  engine: Engine,
  tx: Transaction,
  what: keyof typeof METHODS,
  origin: MutationOrigin,
  caller: Caller = OPERATOR,
): Change {
  const { actor, ...told } = origin;
  const rest = { authorization: undefined, format: "json", signal: NEVER } as const;
  const call: Call = { ...told, ...rest, method: METHODS[what], caller };
  return new Noted(call, tx, engine, actor);
}
