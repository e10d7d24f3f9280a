import type { DeleteImageRequest } from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { failedPrecondition, notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY } from "../../rpc/reply.ts";
import { OWN_HOST } from "../../store/tables/registry/locations.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import { asPrecondition } from "../client/protocol-error.ts";
import type { RegistryContents } from "../client/remote.ts";
import { removeManifest } from "../ingest/manifest-state.ts";
import { lockRepo } from "../ingest/tag-state.ts";
import { writableLocations } from "../locations.ts";
import { checkImageDeletable } from "../tag-rules/enforcement.ts";
import { mustExist } from "./list-images.ts";

/**
 * The handler of DeleteImage. Deletes the manifest in the registries first: if the store fails after that,
 * their notifications, or the next reconcile pass, make up for it. If one of several registries fails,
 * the image stays stored, and the call can be repeated.
 */
export function deleteImage(
  deps: WriteDeps,
  remotes: ReadonlyMap<string, RegistryContents>,
): Handler {
  const { store } = deps;
  return async (call, message) => {
    const { repoUid, digest } = message as DeleteImageRequest;
    await mustExist(deps, repoUid);
    const locations = await writableLocations(deps, remotes, repoUid);
    if (locations.length === 0) {
      const description = "no attached registry has the repo";
      throw failedPrecondition({ type: "NO_REGISTRY", description });
    }
    await checkImageDeletable(deps.catalog, store.reader, repoUid, digest);
    const stored = await findManifest(store.reader, repoUid, digest);
    const time = Math.max(Date.now(), stored?.pushed ?? 0);
    let isFound = stored !== undefined;
    if (call.abandoned !== undefined) throw call.abandoned;
    for (const { remote, path } of locations) {
      if (await asPrecondition(remote.deleteManifest(path, digest, call.caller.uid)))
        isFound = true;
    }
    if (!isFound) throw notFound("Image", `${repoUid}@${digest}`);
    await store.write(async (tx) => {
      const mutation = new Mutation(call, tx, deps);
      await lockRepo(mutation, repoUid);
      // Another registry has deleted it already.
      const isOwn = locations.every(({ remote }) => remote.host === OWN_HOST);
      if (isOwn) await checkImageDeletable(deps.catalog, tx, repoUid, digest);
      await removeManifest(mutation, repoUid, digest, time);
      await audit(tx, call, { resource: repoUid, detail: { digest } });
      const json = JSON.stringify({ repoUid, digest });
      mutation.emit(call.method, repoUid, { type: message.$typeName, json });
    });
    return EMPTY_REPLY;
  };
}
