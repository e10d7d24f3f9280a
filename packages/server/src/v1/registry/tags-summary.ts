import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ListTagsRequestSchema,
  type Tag,
  TagsService,
  UIDPFilterSchema,
} from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { Call } from "../../rpc/call.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import { type AdaptedMethod, type Invoke, respondWith } from "../adapter.ts";
import { included, tagV1 } from "./tags.ts";

const { Registry } = registryV1;

type TagQuery = MessageInitShape<typeof ListTagsRequestSchema>;

/** Tags of one image that are considered for its version. */
const MAX_VERSION_TAGS = 200;

const EVERY_KIND: TagQuery = { includeReferrers: true, includeDates: true, includeEpochs: true };

/** The version 1 summary of the tags of a repo, combined from several lists. */
export function tagsSummaryMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    respondWith(Registry.method.getRepoTagsSummary, {}, async (message, call) => {
      mustBeUid("repoId", message.repoId);
      return summaryOf(invoke, call, message.repoId, included(message));
    }),
  ];
}

/** The number of tags of these kinds, the latest change of one of them, and the tag `latest`. */
async function summaryOf(
  invoke: Invoke,
  call: Call,
  repo: string,
  kinds: TagQuery,
): Promise<MessageInitShape<typeof registryV1.RepoTagsSummarySchema>> {
  const { listTags } = TagsService.method;
  const ask = (query: TagQuery) => {
    const uidp = create(UIDPFilterSchema, { childrenOf: repo });
    return invoke(call, listTags, create(listTags.input, { ...query, uidp }));
  };
  const newest = await ask({ ...kinds, orderBy: "updated_at desc", pageSize: 1 });
  const [latest] = (await ask({ name: "latest" })).tags;
  const sameImage =
    latest &&
    (await ask({ ...EVERY_KIND, digest: latest.digest, pageSize: MAX_VERSION_TAGS })).tags;
  const lastUpdated = newest.tags[0]?.updateTime;
  return {
    id: repo,
    tagCount: newest.totalCount ?? 0n,
    ...(lastUpdated && { lastUpdated }),
    ...(latest && { latestTag: tagV1(latest) }),
    latestVersion: longestVersion(sameImage ?? []),
  };
}

/** The most specific version: of `1`, `1.27` and `1.27.3` the last. Tags with a dash are variants. */
function longestVersion(tags: readonly Tag[]): string {
  const versions = tags.map(({ name }) => name).filter((name) => /^v?\d+(\.\d+)*$/.test(name));
  return versions.reduce((best, one) => (componentsOf(one) > componentsOf(best) ? one : best), "");
}

function componentsOf(version: string): number {
  return version === "" ? 0 : version.split(".").length;
}
