import { type DescMessage, isFieldSet, type Message } from "@bufbuild/protobuf";
import {
  CatalogTier,
  CustomOverlaySchema,
  type DeleteRepoRequest,
  parentOf,
  type Repo,
  RepoSchema,
  ReposService,
} from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import type { Catalog } from "../../engine/catalog.ts";
import type { MethodDeps } from "../../engine/definition.ts";
import { Resource } from "../../engine/resource.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { deleteMethod } from "../../engine/write/write.ts";
import { checkNotFormer } from "../../iam/folder-names.ts";
import {
  alreadyExists,
  failedPrecondition,
  invalidArgument,
  notFound,
  tooLargeToTry,
} from "../../lib/errors.ts";
import { isPathSegment } from "../../lib/path-segment.ts";
import type { Handler } from "../../rpc/call.ts";
import { fieldValue } from "../../rpc/fields.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { countsOf } from "../../store/resources/range-counts.ts";
import { forgetWork, tagWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import { unlinkBlobs } from "../../store/tables/registry/blobs.ts";
import {
  deleteLocations,
  hasImagesElsewhere,
  locationsOf,
  OWN_HOST,
} from "../../store/tables/registry/locations.ts";
import { forgetManifests, hasManifests } from "../../store/tables/registry/manifests.ts";
import {
  dropAlias,
  findAlias,
  forgetAliases,
  recordRename,
} from "../../store/tables/registry/path-aliases.ts";
import { writeRepoDeletion } from "../../store/tables/registry/repo-deletions.ts";
import { deleteReadme } from "../../store/tables/registry/repo-readmes.ts";
import { forgetRetention } from "../../store/tables/registry/retention.ts";
import { forgetHistory } from "../../store/tables/registry/tags.ts";
import { forgetUpstream } from "../../store/tables/registry/upstream-states.ts";
import { checkAllDeletable } from "../tag-rules/enforcement.ts";
import { readmeMethods } from "./readme.ts";
import { applySync, propagateToSynced } from "./sync.ts";

/** Repos contain tags and metadata of images; the images themselves are in registries. */
export const repos: Resource<Repo> = new Resource({
  service: ReposService,
  schema: RepoSchema,
  table: "repos",
  tree: {
    hasChildren: true,
    uniqueNames: true,
  },
  quota: "repositories",
  index: {
    filters: [
      { field: "name", column: "name", type: "common" },
      {
        field: "syncSource",
        column: "sync_source",
        type: "text",
        of: (repo) => repo.syncConfig?.source ?? "",
        sparse: true,
      },
    ],
  },
  hooks: ({ registry }) => ({
    async beforeCreate(mutation, created) {
      check(created);
      await checkPathAvailable(mutation, created);
      await applySync(mutation, registry, undefined, created);
    },
    async beforeUpdate(mutation, before, after) {
      check(after);
      if (before.name !== after.name) await rename(mutation, before, after);
      await applySync(mutation, registry, before, after);
      await propagateToSynced(mutation, before, after);
    },
    beforeDelete: removeContents,
  }),
  methods: (deps) => [...readmeMethods(deps), [ReposService.method.deleteRepo, deleteRepo(deps)]],
});

function check(repo: Repo): void {
  if (!(repo.catalogTier in CatalogTier)) {
    const description = "catalogTier must be one of the known tiers";
    throw invalidArgument({ field: "catalogTier", description });
  }
  const { customOverlay } = repo;
  if (customOverlay === undefined) return;
  if (!isEmpty(CustomOverlaySchema, customOverlay)) {
    const description = "custom assembly is not enabled here";
    throw failedPrecondition({ type: "CUSTOM_ASSEMBLY_DISABLED", description });
  }
  delete repo.customOverlay;
}

/** Whether no field of a message is set, at any depth. */
function isEmpty(schema: DescMessage, message: Message): boolean {
  return schema.fields.every((field) => {
    if (!isFieldSet(message, field)) return true;
    if (field.fieldKind !== "message") return false;
    return isEmpty(field.message, fieldValue(message, field) as Message);
  });
}

/**
 * A name with slashes precedes folders of these names in paths. So it must not be the path of a repo in
 * such a folder, whose images would then be those of the new repo. Nor may a repo have a former name of another one.
 */
async function checkPathAvailable(mutation: Mutation, { uid, name }: Repo): Promise<void> {
  const { tx } = mutation;
  const segments = name.split("/");
  let group: string | undefined = parentOf(uid);
  await checkNotFormer(mutation, { uid, name }, "repo");
  while (group !== undefined && segments.length > 1) {
    const folder = segments.shift() as string;
    group = await folderNamed(mutation, group, folder);
    if (group === undefined) return;
    const [taken] = await repos.table.childrenNamed(tx, group, segments.join("/"), 1);
    if (taken !== undefined) throw alreadyExists(repos.typeName, name);
  }
}

/** The folder that has a name in paths, or had it before it was renamed. */
async function folderNamed(
  { deps, tx, call }: Mutation,
  parent: string,
  name: string,
): Promise<string | undefined> {
  const [oldest] = await deps.catalog.groups.table.childrenNamed(tx, parent, name, 1);
  return oldest ?? (await findAlias(tx, { parent, kind: "folder", name }, call.time))?.target;
}

/**
 * Images in the registry of this server belong to the uid of their repo, and its former path leads to it for a time. Those
 * in attached registries are stored by path: a repo with such images keeps its name. Former names have no slashes, so that
 * a path has one meaning, and new ones can be pulled.
 */
async function rename(mutation: Mutation, before: Repo, after: Repo): Promise<void> {
  const { deps, tx, call } = mutation;
  const { uid, name } = after;
  const group = parentOf(uid);
  const isStored = await hasImages(deps.catalog, tx, uid);
  if (isStored && (await hasImagesElsewhere(tx, uid))) {
    const description = `cannot rename repo ${JSON.stringify(before.name)} with images in attached registries, which store them by path`;
    throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description });
  }
  if (isStored && ![before.name, name].every(isPathSegment)) {
    const description = `cannot rename repo ${JSON.stringify(before.name)} with images to ${JSON.stringify(name)}: both must be one segment of a path`;
    throw failedPrecondition({ type: "RESOURCE_NOT_EMPTY", description });
  }
  // Creations lock the group as well.
  await deps.catalog.groups.table.findForChange(tx, group);
  if ((await repos.table.namedForChange(tx, group, name)) !== undefined) {
    throw alreadyExists(repos.typeName, name);
  }
  await checkPathAvailable(mutation, after);
  await dropAlias(tx, { parent: group, kind: "repo", name }, uid);
  if (!isStored) return deleteLocations(tx, uid);
  await recordRename(tx, { uid, kind: "repo", from: before.name, to: name, time: call.time });
}

async function hasImages({ tags }: Catalog, tx: Transaction, repo: string) {
  const hasTags = await tags.table.hasAny(tx, { column: "parent", value: repo });
  return hasTags || hasManifests(tx, repo);
}

function deleteRepo(deps: MethodDeps): Handler {
  const {
    store,
    catalog: { tags },
    limits: { deletedTags },
  } = deps;
  const deleteRest = deleteMethod(repos, deps);
  const isLarge = async (uid: string) => {
    const { children } = await countsOf(store.reader, tags.table, { childrenOf: uid });
    return children > deletedTags;
  };
  return async (call, request) => {
    const { uid } = request as DeleteRepoRequest;
    while (await isLarge(uid)) {
      if (call.isDryRun) throw tooLargeToTry();
      await store.writeFor(call, async (tx) => {
        if ((await repos.table.findForChange(tx, uid)) === undefined)
          throw notFound(repos.typeName, uid);
        await checkAllDeletable(deps.catalog, tx, uid);
        await tags.table.deleteChildren(tx, uid, deletedTags);
        await requestWork(tx, [tagWork(uid)]);
        await audit(tx, call, { resource: uid, detail: { emptied: true } });
      });
    }
    return deleteRest(call, request);
  };
}

/**
 * Deletes the tags, their history, the manifests, the locations, the README, the deployment and the rules of a repo.
 * Its images stay in attached registries. So the deletion is recorded for each location, with the history of the tags: a
 * reconcile pass must not bring the repo back before something is pushed to it, and the path must not become another's.
 */
async function removeContents({ deps, tx, call }: Mutation, { uid }: Repo): Promise<void> {
  await checkAllDeletable(deps.catalog, tx, uid);
  const stored = (await hasImages(deps.catalog, tx, uid)) ? await locationsOf(tx, uid) : [];
  const locations = stored.filter(({ host }) => host !== OWN_HOST);
  for (const { host, path } of locations) {
    await writeRepoDeletion(tx, { host, path, repo: uid, time: call.time });
  }
  await deps.catalog.tags.table.deleteChildren(tx, uid, Number.MAX_SAFE_INTEGER);
  await forgetManifests(tx, uid);
  await requestWork(tx, [forgetWork(uid)]);
  await unlinkBlobs(tx, uid);
  if (locations.length === 0) await forgetHistory(tx, uid);
  await deleteLocations(tx, uid);
  await forgetAliases(tx, uid);
  await deleteReadme(tx, uid);
  await forgetRetention(tx, uid);
  await deps.catalog.deployments.table.delete(tx, uid);
  await deps.catalog.retentionPolicies.table.delete(tx, uid);
  await deps.catalog.tagRules.table.deleteChildren(tx, uid, Number.MAX_SAFE_INTEGER);
  await deps.catalog.upstreams.table.delete(tx, uid);
  await forgetUpstream(tx, uid);
  await deps.catalog.decisions.table.deleteChildren(tx, uid, Number.MAX_SAFE_INTEGER);
}
