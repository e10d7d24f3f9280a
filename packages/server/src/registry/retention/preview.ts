import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  ancestorsOf,
  Capability,
  isSelfOrBelow,
  type PreviewRetentionRequest,
  PreviewRetentionResponseSchema,
  type RetentionEntry,
  RetentionEntrySchema,
  type RetentionPolicy,
  RetentionPolicySchema,
  type RetentionSummary,
  RetentionSummarySchema,
} from "@wharf/contract";
import { readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { invalidArgument, notFound, tooMany } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import { shareOf } from "../../lib/scheduling/share.ts";
import { slicedSort } from "../../lib/scheduling/sliced-sort.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { validate } from "../../rpc/validate.ts";
import { ownRepos, policyScopes } from "../../store/tables/registry/retention.ts";
import { namesTo } from "../uid-path.ts";
import { checkPolicy } from "./definition.ts";
import type { LapsedImage } from "./evaluate-images.ts";
import { FreedBytes } from "./freed-bytes.ts";
import { type PlannedTag, planOf } from "./plan.ts";
import { readRepoState } from "./repo-state.ts";

const DEFAULT_PAGE_SIZE = 200;
const MAX_PAGE_SIZE = 1_000;
const REPO_BATCH_SIZE = 500;

/** Bytes of an entry, roughly. */
const ENTRY_BYTES = 500;

/** An evaluation serves the requests for its pages. */
const CACHE = { maxEntries: 32, maxBytes: 64 * 1024 * 1024, ttlMs: 120_000 };

/** The source of an entry of the response. */
interface Entry {
  /** Its place: by repo, tags before images. */
  readonly key: string;
  readonly repoUid: string;
  readonly repo: string;
  readonly planned: PlannedTag | LapsedImage;
}

interface Preview {
  /** In the order of their keys. */
  readonly entries: readonly Entry[];
  readonly summary: RetentionSummary;
}

/** The handler of PreviewRetention. */
export function previewRetention(deps: ListDeps, attached: readonly string[]): Handler {
  const cache = new BoundedCache<string, Preview>(CACHE);
  const running = new KeyedSemaphore({
    perKey: 1,
    maxQueuedPerKey: 4,
    rejection: () => tooMany("too many previews of retention at once: try again"),
  });
  return async (call, message) => {
    const { uid, retentionPolicy, pageSize, pageToken } = message as PreviewRetentionRequest;
    if (pageSize < 0) {
      throw invalidArgument({ field: "pageSize", description: "pageSize must not be negative" });
    }
    const policy = retentionPolicy && checkedPolicy(retentionPolicy, uid);
    const text = policy
      ? Buffer.from(toBinary(RetentionPolicySchema, policy)).toString("base64")
      : "";
    const query = JSON.stringify(["PreviewRetention", uid, text]);
    const after = readCursor(deps.lists, query, pageToken, call.time)?.position.key ?? "";
    const key = JSON.stringify([call.caller.uid, visibleScope(call, uid), query]);
    const preview = await running.run(shareOf(call).key, async () => {
      const cached = pageToken === "" ? undefined : cache.get(key);
      if (cached !== undefined) return cached;
      const made = await evaluate(deps, attached, call, uid, policy);
      cache.set(key, made, made.entries.length * ENTRY_BYTES);
      return made;
    });
    const { entries, summary } = preview;
    const first = entries.findIndex(({ key: one }) => one > String(after));
    const start = first < 0 ? entries.length : first;
    const page = entries.slice(
      start,
      start + Math.min(pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
    );
    const last = start + page.length < entries.length ? page.at(-1) : undefined;
    const next = last && { position: { key: last.key, id: 0 }, skipped: 0 };
    const nextPageToken = next ? deps.lists.pageTokens.seal(query, next, call.time) : "";
    const response = { entries: page.map(entryOf), summary, nextPageToken };
    return messageReply(
      PreviewRetentionResponseSchema,
      create(PreviewRetentionResponseSchema, response),
    );
  };
}

function checkedPolicy(policy: RetentionPolicy, uid: string): RetentionPolicy {
  validate(RetentionPolicySchema, policy);
  checkPolicy(policy);
  return { ...policy, uid };
}

async function evaluate(
  { catalog, store, lists }: ListDeps,
  attached: readonly string[],
  call: Call,
  uid: string,
  instead: RetentionPolicy | undefined,
): Promise<Preview> {
  const { reader } = store;
  const { groups, repos } = catalog;
  const exists = (await groups.find(reader, uid)) ?? (await repos.find(reader, uid));
  if (exists === undefined) throw notFound(groups.typeName, uid);
  const task = lists.task(call, call);
  const scopes = (await policyScopes(reader)).filter((one) => isSelfOrBelow(one, uid));
  const policies = await catalog.retentionPolicies.findMany(reader, [
    ...scopes,
    ...ancestorsOf(uid),
  ]);
  if (instead !== undefined) policies.set(uid, instead);
  const freed = new FreedBytes(visibleScope(call, uid));
  const entries: Entry[] = [];
  const counts = { repos: 0, tags: 0, deletedTags: 0, images: 0, deletedImages: 0 };
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page: string[] = await ownRepos(reader, uid, attached, last, REPO_BATCH_SIZE);
    for (const repo of page) {
      const policy = [repo, ...ancestorsOf(repo)].map((one) => policies.get(one)).find(Boolean);
      if (policy === undefined) continue;
      const state = await readRepoState(catalog, reader, repo, policy, call.time);
      const plan = await planOf(policy, state, call.time, task);
      const images = new Set(plan.images.lapsed.map(({ digest }) => digest));
      await freed.add(reader, repo, images, task);
      counts.repos += 1;
      counts.tags += state.tags.length;
      counts.deletedTags += plan.tags.length;
      counts.images += state.manifests.size;
      counts.deletedImages += images.size;
      const planned = [...plan.tags, ...plan.images.lapsed];
      const names = planned.length > 0 ? await namesTo(catalog, reader, repo) : [];
      const about = { repoUid: repo, repo: names.join("/") };
      for (const one of planned)
        entries.push({ ...about, key: `${repo} ${placeOf(one)}`, planned: one });
      await task.pause();
    }
    last = page.length < REPO_BATCH_SIZE ? undefined : page.at(-1);
  }
  const inOrder = await slicedSort(entries, (one, other) => (one.key < other.key ? -1 : 1), task);
  const [totals, freedBytes] = [Object.entries(counts), BigInt(freed.bytes)];
  const summary = Object.fromEntries(totals.map(([name, count]) => [name, BigInt(count)]));
  return { entries: inOrder, summary: create(RetentionSummarySchema, { ...summary, freedBytes }) };
}

function placeOf(planned: Entry["planned"]): string {
  return "name" in planned ? planned.name : `~${planned.digest}`;
}

function entryOf({ repoUid, repo, planned }: Entry): RetentionEntry {
  const { digest, expires } = planned;
  const about = { repoUid, repo, digest, deleteTime: timestampFromMs(expires) };
  if (!("name" in planned))
    return create(RetentionEntrySchema, { ...about, reason: "no tag has it" });
  const { name: tag, rule, reason, isAnnounced: announced } = planned;
  return create(RetentionEntrySchema, { ...about, tag, rule, reason, announced });
}

/** The largest group around one whose repos the caller may see. */
function visibleScope({ caller }: Call, uid: string): string {
  if (caller.isOperator) return "";
  const above = ancestorsOf(uid).toReversed();
  return above.find((one) => caller.grants.holds([Capability.CAP_REPO_LIST], one)) ?? uid;
}
