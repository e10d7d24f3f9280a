/** Valid requests about the content of the registry: those that need more than a UID. */
import type { JsonObject } from "@bufbuild/protobuf";
import { keyPair } from "../signatures/signing.ts";

/** By service and method. */
export function contentRequests(
  group: string,
  repo: string,
  name: string,
): Readonly<Record<string, JsonObject>> {
  // Nothing is sent, and no name is looked up.
  const upstream = { url: "https://registry.test/", mode: "UPSTREAM_MODE_CACHE" };
  const tagRule = { name, tags: ["v*"], protected: true };
  const retentionPolicy = { keep: [{ name: "recent", newest: 10 }] };
  const verificationKey = { name, publicKey: keyPair().pem };
  // A group has one upstream and one policy at most: the first is the only one.
  return {
    "UpstreamsService/CreateUpstream": { parent: group, upstream },
    "UpstreamsService/UpdateUpstream": { upstream: { uid: group, ...upstream } },
    "TagRulesService/CreateTagRule": { parent: group, tagRule },
    "RetentionPoliciesService/CreateRetentionPolicy": { parent: group, retentionPolicy },
    "RetentionPoliciesService/UpdateRetentionPolicy": {
      retentionPolicy: { uid: group, ...retentionPolicy },
    },
    "RetentionPoliciesService/PreviewRetention": { uid: group, retentionPolicy },
    "VerificationKeysService/CreateVerificationKey": { parent: group, verificationKey },
    "DeletedTagsService/ListDeletedTags": { repoUid: repo },
    "DeletedTagsService/RestoreTag": { repoUid: repo, name: "1.0" },
  };
}
