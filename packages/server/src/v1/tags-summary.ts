import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ListTagsRequestSchema,
  type Tag,
  TagsService,
  UIDPFilterSchema,
} from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { Call } from "../rpc/call.ts";
import { mustBeUid } from "../rpc/validate.ts";
import { type Adapted, answerWith, type Invoke } from "./adapter.ts";
import { included, tagV1 } from "./tags.ts";

const { Registry } = registryV1;

type Question = MessageInitShape<typeof ListTagsRequestSchema>;

/** No image goes by more versions. */
const MOST_NAMES = 200;

const EVERY_KIND: Question = { includeReferrers: true, includeDates: true, includeEpochs: true };

/**
 * The tags of a repo at a glance, made of several lists.
 *
 * @example handlers.push(...tagsSummaryMethods(invoke));
 */
export function tagsSummaryMethods(invoke: Invoke): Adapted[] {
  return [
    answerWith(Registry.method.getRepoTagsSummary, {}, async (given, call) => {
      mustBeUid("repoId", given.repoId);
      return summaryOf(invoke, call, given.repoId, included(given));
    }),
  ];
}

/** How many tags of these kinds a repo has, when one of them last changed, and what `latest` is. */
async function summaryOf(
  invoke: Invoke,
  call: Call,
  repo: string,
  kinds: Question,
): Promise<MessageInitShape<typeof registryV1.RepoTagsSummarySchema>> {
  const { listTags } = TagsService.method;
  const ask = (question: Question) => {
    const uidp = create(UIDPFilterSchema, { childrenOf: repo });
    return invoke(call, listTags, create(listTags.input, { ...question, uidp }));
  };
  const newest = await ask({ ...kinds, orderBy: "updated_at desc", pageSize: 1 });
  const [latest] = (await ask({ name: "latest" })).tags;
  const sameImage =
    latest && (await ask({ ...EVERY_KIND, digest: latest.digest, pageSize: MOST_NAMES })).tags;
  const lastUpdated = newest.tags[0]?.updateTime;
  return {
    id: repo,
    tagCount: newest.totalCount ?? 0n,
    ...(lastUpdated && { lastUpdated }),
    ...(latest && { latestTag: tagV1(latest) }),
    latestVersion: longestVersion(sameImage ?? []),
  };
}

/** Of `1`, `1.27` and `1.27.3` the last says most; what is said after a dash is of another kind. */
function longestVersion(tags: readonly Tag[]): string {
  const versions = tags.map(({ name }) => name).filter((name) => /^v?\d+(\.\d+)*$/.test(name));
  return versions.reduce((best, one) => (partsOf(one) > partsOf(best) ? one : best), "");
}

function partsOf(version: string): number {
  return version === "" ? 0 : version.split(".").length;
}
