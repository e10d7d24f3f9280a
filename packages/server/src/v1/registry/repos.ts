import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CatalogTier, RepoSchema, ReposService, type SyncConfig } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { invalidArgument } from "../../lib/errors.ts";
import type { ReposWithReadme, RepoWithReadme } from "../../registry/repos/repo-with-readme.ts";
import type { EventBody } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { timestampProblem } from "../../rpc/time-range.ts";
import { filterOf } from "../../rpc/v1/filter.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import { type AdaptedMethod, adapt, type Invoke, replyWith, respondWith } from "../adapter.ts";
import { adaptList } from "../list.ts";
import { overlayV2 } from "./overlay.ts";

const { Registry, RepoSchema: RepoV1Schema } = registryV1;

const NAMES = {
  parent: "parentId",
  content: "readme",
  createTime: "createTime",
};

/** READMEs may have a megabyte each, so pages have fewer repos. */
const PAGE_SIZE = 16;

/** Tiers have the same names but different numbers in the two versions. */
const TIERS: readonly (readonly [registryV1.CatalogTier, CatalogTier])[] = [
  [registryV1.CatalogTier.UNKNOWN, CatalogTier.UNSPECIFIED],
  [registryV1.CatalogTier.APPLICATION, CatalogTier.APPLICATION],
  [registryV1.CatalogTier.BASE, CatalogTier.BASE],
  [registryV1.CatalogTier.FIPS, CatalogTier.FIPS],
  [registryV1.CatalogTier.AI, CatalogTier.AI],
  [registryV1.CatalogTier.DEVTOOLS, CatalogTier.DEVTOOLS],
  [registryV1.CatalogTier.COMMERCIAL, CatalogTier.COMMERCIAL],
];

const TIER_V2 = new Map(TIERS);
const TIER_V1 = new Map(TIERS.map(([one, two]) => [two, one]));

/** The version 1 methods of repos. Repos include their README. */
export function repoMethods(invoke: Invoke, repos: ReposWithReadme): AdaptedMethod[] {
  return [
    replyWith(Registry.method.createRepo, NAMES, async (message, call, replyOf) => {
      const { parentId, repo, preventExisting } = message;
      if (repo === undefined) {
        throw invalidArgument({ field: "repo", description: "repo is required" });
      }
      return repos.create(call, parentId, wholeV2(repo), preventExisting, (made) =>
        replyOf(repoV1(made)),
      );
    }),
    respondWith(Registry.method.updateRepo, NAMES, async (repo, call) => {
      return repoV1(await repos.replace(call, wholeV2(repo)));
    }),
    adaptList(invoke, {
      method: Registry.method.listRepos,
      target: ReposService.method.listRepos,
      request({ id, uidp, name }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter, ...(name !== "" && { name }) };
      },
      async items({ repos: rows }): Promise<RepoWithReadme[]> {
        const readmes = await repos.readmes(rows.map(({ uid }) => uid));
        return rows.map((repo) => ({ repo, readme: readmes.get(repo.uid) ?? "" }));
      },
      item: repoV1,
      pageSize: PAGE_SIZE,
    }),
    adapt(invoke, {
      method: Registry.method.getRepoCountBySource,
      target: ReposService.method.listRepos,
      request({ id }) {
        mustBeUid("id", id);
        return { syncSource: id, pageSize: 1 };
      },
      response: ({ totalCount = 0n }) => ({ count: totalCount }),
    }),
    adapt(invoke, {
      method: Registry.method.deleteRepo,
      target: ReposService.method.deleteRepo,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function wholeV2(message: registryV1.Repo): RepoWithReadme {
  const { id, name, description, catalogTier, bundles, aliases, activeTags, readme } = message;
  const { syncConfig, customOverlay } = message;
  const repo = create(RepoSchema, {
    uid: id,
    name,
    description,
    // Version 2 rejects -1, as it should an unknown tier.
    catalogTier: TIER_V2.get(catalogTier) ?? (-1 as CatalogTier),
    bundles,
    aliases,
    activeTags,
    ...(syncConfig && { syncConfig: syncV2(syncConfig) }),
    ...(customOverlay && { customOverlay: overlayV2(customOverlay) }),
  });
  return { repo, readme };
}

/**
 * Clients of version 1 set fields that are output only in version 2, and expect them back: a Terraform plan would never
 * become empty otherwise. Version 2 does not validate them.
 */
function syncV2({ $typeName: _, $unknown: __, expiration, ...fields }: registryV1.SyncConfig) {
  const problem = expiration && timestampProblem(expiration);
  if (problem !== undefined) {
    const field = "sync_config.expiration";
    throw invalidArgument({ field, description: `expiration ${problem}` });
  }
  return { ...fields, ...(expiration && { expirationTime: expiration }) };
}

/** Translates a repo to version 1. Images are never overlaid, so there is no overlay. */
function repoV1({ repo, readme }: RepoWithReadme): registryV1.Repo {
  const { uid, name, description, bundles, aliases, activeTags, createTime, syncConfig } = repo;
  return create(RepoV1Schema, {
    id: uid,
    name,
    description,
    readme,
    catalogTier: TIER_V1.get(repo.catalogTier) ?? registryV1.CatalogTier.UNKNOWN,
    bundles,
    aliases,
    activeTags,
    ...(createTime && { createTime }),
    ...(syncConfig && { syncConfig: syncV1(syncConfig) }),
  });
}

export function repoEventBody(whole: RepoWithReadme): EventBody {
  const { typeName: type } = RepoV1Schema;
  return { type, json: messageToJson(RepoV1Schema, repoV1(whole)) };
}

function syncV1(sync: SyncConfig): MessageInitShape<typeof registryV1.SyncConfigSchema> {
  const { $typeName: _, $unknown: __, expirationTime: expiration, ...fields } = sync;
  return { ...fields, ...(expiration && { expiration }) };
}
