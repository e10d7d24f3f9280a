import { create } from "@bufbuild/protobuf";
import {
  type GetImageManifestRequest,
  type ImageManifest,
  ImageManifestSchema,
  type ManifestDescriptor,
  ManifestDescriptorSchema,
} from "@wharf/contract";
import { notFound } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Store } from "../../store/db/store.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import type { RegistryContents } from "../client/remote.ts";
import { list, object, parseJson, text, textMap } from "../lenient-json.ts";
import { readFromLocations } from "../locations.ts";
import { isDigest } from "./manifest.ts";

/** The handler of GetImageManifest. Manifests are not stored, but fetched from the registry. */
export function imageManifestMethod(
  store: Store,
  remotes: ReadonlyMap<string, RegistryContents>,
): Handler {
  return async ({ signal }, message) => {
    const { repoUid, digest } = message as GetImageManifestRequest;
    const name = `${repoUid}@${digest}`;
    const stored = await findManifest(store.reader, repoUid, digest);
    if (stored === undefined) throw notFound("Image", name);
    const found = await readFromLocations(store, remotes, repoUid, (remote, path) =>
      remote.manifest(path, digest, signal),
    );
    if (found === undefined) throw notFound("Image", name);
    const manifest = parseManifest(found.bytes);
    manifest.digest = digest;
    manifest.mediaType ||= stored.mediaType;
    return messageReply(ImageManifestSchema, manifest);
  };
}

/** Malformed fields are treated as missing, as users push anything that the registry accepts. */
export function parseManifest(bytes: Uint8Array): ImageManifest {
  const content = object(parseJson(bytes));
  const config = content.config === undefined ? undefined : descriptorOf(content.config);
  const { digest: subject } = object(content.subject);
  return create(ImageManifestSchema, {
    mediaType: text(content.mediaType),
    artifactType: text(content.artifactType) || (config?.mediaType ?? ""),
    ...(config !== undefined && { config }),
    layers: list(content.layers).map(descriptorOf),
    manifests: list(content.manifests).map(descriptorOf),
    subject: isDigest(subject) ? subject : "",
    annotations: textMap(content.annotations),
  });
}

function descriptorOf(value: unknown): ManifestDescriptor {
  const { mediaType, digest, size, platform, annotations } = object(value);
  const { os, architecture, variant } = object(platform);
  return create(ManifestDescriptorSchema, {
    mediaType: text(mediaType),
    digest: isDigest(digest) ? digest : "",
    size: BigInt(Number.isSafeInteger(size) && Number(size) > 0 ? Number(size) : 0),
    os: text(os),
    architecture: text(architecture),
    variant: text(variant),
    annotations: textMap(annotations),
  });
}
