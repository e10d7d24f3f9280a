import { randomUUID } from "node:crypto";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import { findBlobs, keepBlobs } from "../../store/tables/registry/blobs.ts";
import {
  findManifest,
  readManifestContent,
  storedManifests,
} from "../../store/tables/registry/manifests.ts";
import { expirationOf } from "../../store/tables/registry/retention.ts";
import { newestEntry, tagsOfDigests } from "../../store/tables/registry/tags.ts";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { RegistryFault } from "../access/errors.ts";
import { architectureOf, isDigest } from "../images/manifest.ts";
import { writeActivity } from "../ingest/activity-events.ts";
import { removeManifest } from "../ingest/manifest-state.ts";
import type { RegistryNotification } from "../ingest/notification-formats.ts";
import { systemMutation } from "../ingest/system-mutation.ts";
import { lockRepo, recordTag, removeTag } from "../ingest/tag-state.ts";
import { checkDeletable, checkImageDeletable } from "../tag-rules/enforcement.ts";
import type { RepoRequest, ServeDeps } from "./deps.ts";
import type { PullLog } from "./pull-log.ts";
import { type PushedManifest, readPushedManifest } from "./read-manifest.ts";
import { confirmAccess, originOf, repoOfPush } from "./repo-writes.ts";
import { isTag } from "./request.ts";
import { findServed, type ServedManifest } from "./served-manifest.ts";
import { checkSpace } from "./space.ts";
import { referencesOf, storeManifest } from "./store-manifest.ts";

/** The least that the specification demands, and what other registries accept. */
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/** Larger configurations are not read for the architecture. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/** A manifest by tag or digest, byte for byte. */
export async function getManifest(
  { store: { reader }, mirrors }: ServeDeps,
  pulls: PullLog,
  repoRequest: RepoRequest,
  reference: string,
): Promise<HttpResponse> {
  const { repo = "" } = repoRequest.path;
  const local = await findServed(reader, repo, reference);
  const tags = isDigest(reference) || local === undefined ? [] : [reference];
  const [found, { warning }] = await Promise.all([
    mirrors.manifest(repoRequest, reference, local),
    warningAbout(reader, repo, local?.digest ?? "", tags),
  ]);
  if (found === undefined) throw unknownManifest(reference);
  const warnings = [found.headers?.warning, warning].filter((one) => one !== undefined);
  const headers = {
    ...found.headers,
    ...(warnings.length > 0 && { warning: warnings.join(", ") }),
  };
  return serveManifest(pulls, repoRequest, reference, { ...found, headers });
}

function serveManifest(
  pulls: PullLog,
  repoRequest: RepoRequest,
  reference: string,
  { digest, mediaType, content, repo, headers: added }: ServedManifest,
): HttpResponse {
  const { request } = repoRequest;
  const headers = {
    ...added,
    "content-type": mediaType,
    "docker-content-digest": digest,
    "content-length": content.length,
    etag: `"${digest}"`,
  };
  if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers, body: "" };
  if (request.method === "HEAD") return { status: 200, headers, body: "" };
  // What a gateway passes on belongs to no repo.
  if (repo !== "") {
    const pulled = { ...repoRequest, path: { ...repoRequest.path, repo } };
    pulls.add(notificationOf(pulled, "pull", digest, reference), pulled);
  }
  return { status: 200, headers, body: content };
}

/** Stores a manifest, and all that a push changes with it, in one transaction. */
export async function putManifest(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  reference: string,
): Promise<HttpResponse> {
  const { request, name } = repoRequest;
  const tags = tagsOf(repoRequest, reference);
  await checkSpace(deps, request);
  const bytes = await request.body(MAX_MANIFEST_BYTES);
  const type = request.headers["content-type"] ?? "";
  const manifest = readPushedManifest(bytes, type, reference);
  const architecture = await readArchitecture(deps, repoRequest, manifest);
  const pushed = { ...manifest, architecture };
  const warning = await deps.store.write((tx) =>
    recordPush(deps, tx, repoRequest, pushed, bytes, tags),
  );
  const { digest, subject } = manifest;
  const headers = {
    ...warning,
    location: `/v2/${name}/manifests/${digest}`,
    "docker-content-digest": digest,
    ...(subject && { "oci-subject": subject }),
    ...(isDigest(reference) && tags.length > 0 && { "oci-tag": tags.join(", ") }),
  };
  return { status: 201, headers, body: "" };
}

/** Deletes a tag, or a manifest with its tags. */
export async function deleteManifest(
  deps: ServeDeps,
  repoRequest: RepoRequest,
  reference: string,
): Promise<HttpResponse> {
  const { repo } = repoRequest.path;
  if (repo === undefined) throw unknownManifest(reference);
  await deps.store.write(async (tx) => {
    await confirmAccess(deps, tx, repoRequest, "delete");
    const origin = await originOf(tx, repoRequest);
    const mutation = systemMutation(deps, tx, "tagDeletion", origin);
    await lockRepo(mutation, repo);
    const now = await deletionTime(tx, repoRequest, repo, reference);
    if (isDigest(reference)) {
      if ((await readManifestContent(tx, repo, reference)) === undefined)
        throw unknownManifest(reference);
      await checkImageDeletable(deps.catalog, tx, repo, reference);
      await removeManifest(mutation, repo, reference, now);
    } else {
      await checkDeletable(deps.catalog, tx, repo, [reference]);
      if (!(await removeTag(mutation, repo, reference, now))) throw unknownManifest(reference);
    }
    const { name = "" } = (await deps.catalog.repos.find(tx, repo)) ?? {};
    const digest = isDigest(reference) ? reference : "";
    writeActivity(tx, {
      notification: notificationOf(repoRequest, "delete", digest, reference),
      host: repoRequest.host,
      repo: { uid: repo, name },
      actorName: origin.actorName ?? "",
      requestId: origin.requestId,
    });
  });
  return { status: 202, headers: {}, body: "" };
}

/** Later than the push and every change of the tags that are deleted, whatever the clock says. */
async function deletionTime(
  reader: Reader,
  { time }: RepoRequest,
  repo: string,
  reference: string,
): Promise<number> {
  const manifest = isDigest(reference) ? await findManifest(reader, repo, reference) : undefined;
  const tags = isDigest(reference)
    ? (await tagsOfDigests(reader, repo, [reference])).map(({ name }) => name)
    : [reference];
  const changed = await Promise.all(tags.map((tag) => newestEntry(reader, repo, tag)));
  return Math.max(time, manifest?.pushed ?? 0, ...changed.map((entry) => entry?.seen ?? 0));
}

/** The tags of a push: that of the path, or those of the query beside a digest. */
function tagsOf({ request: { query } }: RepoRequest, reference: string): readonly string[] {
  if (!isDigest(reference)) return [reference];
  const tags = [...new Set(new URLSearchParams(query).getAll("tag"))];
  if (tags.every(isTag)) return tags;
  throw new RegistryFault("MANIFEST_INVALID", "a parameter tag is no tag");
}

/** The architecture of an image is in its configuration, which was pushed before. */
async function readArchitecture(
  { store, storage }: ServeDeps,
  { path: { repo } }: RepoRequest,
  { hasImageConfig, configDigest, architecture }: PushedManifest,
): Promise<string> {
  if (!hasImageConfig || repo === undefined) return architecture;
  const sizes = await findBlobs(store.reader, repo, [configDigest]);
  const size = sizes.get(configDigest);
  if (size === undefined || size > MAX_CONFIG_BYTES) return architecture;
  const chunks: Buffer[] = [];
  const content = await storage.read({ digest: configDigest, size });
  for await (const chunk of content ?? []) chunks.push(chunk as Buffer);
  try {
    return architectureOf(Buffer.concat(chunks));
  } catch {
    // Users push anything.
    return architecture;
  }
}

async function recordPush(
  deps: ServeDeps,
  tx: Transaction,
  repoRequest: RepoRequest,
  manifest: PushedManifest,
  bytes: Buffer,
  tags: readonly string[],
): Promise<Warning> {
  const { host, time } = repoRequest;
  const repo = await repoOfPush(deps, tx, repoRequest);
  const { digest } = manifest;
  await keepBlobs(tx, referencesOf(manifest));
  await checkReferences(tx, repo, manifest);
  const origin = await originOf(tx, repoRequest);
  const mutation = systemMutation(deps, tx, "tag", origin);
  await storeManifest(mutation, repo, manifest, bytes, time);
  const { name = "" } = (await deps.catalog.repos.find(tx, repo)) ?? {};
  const about = {
    host,
    repo: { uid: repo, name },
    actorName: origin.actorName ?? "",
    requestId: origin.requestId,
  };
  for (const tag of tags) {
    const { outcome, previous } = await recordTag(mutation, repo, { name: tag, digest });
    const notification = notificationOf(repoRequest, "push", digest, tag);
    writeActivity(tx, { ...about, notification, ...(outcome === "moved" && { previous }) });
  }
  if (tags.length === 0)
    writeActivity(tx, {
      ...about,
      notification: notificationOf(repoRequest, "push", digest, digest),
    });
  return warningAbout(tx, repo, digest, tags);
}

/** The header that docker and other clients show to their users. */
type Warning = { readonly warning?: string };

/** Says when retention deletes the first of the tags. */
async function warningAbout(
  reader: Reader,
  repo: string,
  digest: string,
  tags: readonly string[],
): Promise<Warning> {
  for (const tag of tags) {
    const expires = await expirationOf(reader, repo, tag, digest);
    if (expires === undefined) continue;
    const time = new Date(expires).toISOString();
    return { warning: `299 - "the tag ${tag} will be deleted at ${time} by a retention policy"` };
  }
  return {};
}

/** Everything that a manifest refers to must be in the repository, with the sizes that it gives. */
async function checkReferences(
  tx: Transaction,
  repo: string,
  { blobs, manifests }: PushedManifest,
): Promise<void> {
  const digests = blobs.map(({ digest }) => digest);
  const children = manifests.map(({ digest }) => digest);
  const stored = [await findBlobs(tx, repo, digests), await storedManifests(tx, repo, children)];
  for (const [at, references] of [blobs, manifests].entries()) {
    for (const { digest, size } of references) {
      const actual = stored[at]?.get(digest);
      if (actual === undefined) {
        throw new RegistryFault("MANIFEST_BLOB_UNKNOWN", `the repository does not have ${digest}`);
      }
      if (size === undefined || size === actual) continue;
      throw new RegistryFault("MANIFEST_INVALID", `${digest} has ${actual} bytes, not ${size}`);
    }
  }
}

export function unknownManifest(reference: string): RegistryFault {
  return new RegistryFault("MANIFEST_UNKNOWN", `the repository has no manifest ${reference}`);
}

/** The notification of an activity, as attached registries send it. */
export function notificationOf(
  { request, caller, name, time }: RepoRequest,
  action: RegistryNotification["action"],
  digest: string,
  reference: string,
): RegistryNotification {
  return {
    id: randomUUID(),
    action,
    type: "manifest",
    time,
    path: name,
    digest,
    tag: isDigest(reference) ? "" : reference,
    method: request.method,
    actor: caller.caller.uid,
    remoteAddress: request.remoteAddress,
    userAgent: request.headers["user-agent"] ?? "",
  };
}
