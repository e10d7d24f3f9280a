import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CatalogTier, RepoSchema, ReposService, type SyncConfig } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { invalidArgument } from "../lib/errors.ts";
import type { WholeRepo, WholeRepos } from "../registry/repos/repo-with-readme.ts";
import type { EventBody } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { mustBeUid } from "../rpc/validate.ts";
import { type Adapted, adapt, answerWith, type Invoke } from "./adapter.ts";
import { adaptList, filterOf } from "./list.ts";
import { overlayV2 } from "./overlay.ts";

const { Registry, RepoSchema: RepoV1Schema } = registryV1;

const NAMES = {
  parent: "parentId",
  content: "readme",
  createTime: "createTime",
};

/** READMEs may have a megabyte each, so fewer repos are held at a time. */
const PAGE_SIZE = 16;

/** Tiers have the same names in both versions, and other numbers. */
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

/**
 * Repos as version 1 has them, each with its README.
 *
 * @example handlers.push(...repoMethods(invoke, new WholeRepos(engine, tellRepo)));
 */
export function repoMethods(invoke: Invoke, repos: WholeRepos): Adapted[] {
  return [
    answerWith(Registry.method.createRepo, NAMES, async (given, call) => {
      const { parentId, repo, preventExisting } = given;
      if (repo === undefined) {
        throw invalidArgument({ field: "repo", description: "repo is required" });
      }
      return repoV1(await repos.create(call, parentId, wholeV2(repo), preventExisting));
    }),
    answerWith(Registry.method.updateRepo, NAMES, async (repo, call) => {
      return repoV1(await repos.replace(call, wholeV2(repo)));
    }),
    adaptList(invoke, {
      method: Registry.method.listRepos,
      onto: ReposService.method.listRepos,
      request({ id, uidp, name }) {
        const filter = filterOf(id, uidp);
        return filter && { uidp: filter, ...(name !== "" && { name }) };
      },
      async items({ repos: rows }): Promise<WholeRepo[]> {
        const readmes = await repos.readmes(rows.map(({ uid }) => uid));
        return rows.map((repo) => ({ repo, readme: readmes.get(repo.uid) ?? "" }));
      },
      item: repoV1,
      pageSize: PAGE_SIZE,
    }),
    adapt(invoke, {
      method: Registry.method.getRepoCountBySource,
      onto: ReposService.method.listRepos,
      request({ id }) {
        mustBeUid("id", id);
        return { syncSource: id, pageSize: 1 };
      },
      answer: ({ totalCount = 0n }) => ({ count: totalCount }),
    }),
    adapt(invoke, {
      method: Registry.method.deleteRepo,
      onto: ReposService.method.deleteRepo,
      request: ({ id }) => ({ uid: id }),
    }),
  ];
}

function wholeV2(given: registryV1.Repo): WholeRepo {
  const { id, name, description, catalogTier, bundles, aliases, activeTags, readme } = given;
  const { syncConfig, customOverlay } = given;
  const repo = create(RepoSchema, {
    uid: id,
    name,
    description,
    // A number that is no tier of version 1 is none of version 2 either, and refused there.
    catalogTier: TIER_V2.get(catalogTier) ?? (-1 as CatalogTier),
    bundles,
    aliases,
    activeTags,
    ...(syncConfig && { syncConfig: syncV2(syncConfig) }),
    ...(customOverlay && { customOverlay: overlayV2(customOverlay) }),
  });
  return { repo, readme };
}

/** The rest of it is the service's to set. */
function syncV2({ source, google, amazon, azure }: registryV1.SyncConfig) {
  return { source, google, amazon, azure };
}

/**
 * A repo as version 1 shows it. Nothing is ever laid over its images, so there is no overlay.
 *
 * @example repoV1({ repo, readme }).sync_config
 */
function repoV1({ repo, readme }: WholeRepo): registryV1.Repo {
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

/**
 * What an event tells of a repo and its README.
 *
 * @example new WholeRepos(engine, tellRepo)
 */
export function tellRepo(whole: WholeRepo): EventBody {
  const { typeName: type } = RepoV1Schema;
  return { type, json: messageToJson(RepoV1Schema, repoV1(whole)) };
}

function syncV1(sync: SyncConfig): MessageInitShape<typeof registryV1.SyncConfigSchema> {
  const { source, google, amazon, azure, uniqueTags, apkoOverlay, gracePeriod } = sync;
  const { expirationTime: expiration } = sync;
  return {
    ...{ source, google, amazon, azure, uniqueTags, apkoOverlay, gracePeriod },
    ...(expiration && { expiration }),
  };
}
