import { hash } from "node:crypto";
import { isDigest } from "@wharf/server/registry/images/manifest.ts";
import { list, object, parseJson, text } from "@wharf/server/registry/lenient-json.ts";
import { failed } from "../../errors.ts";

export interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

/** A manifest, and what must be in a repository before it. */
export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer<ArrayBuffer>;
  /** The configuration and the layers. */
  readonly blobs: readonly Descriptor[];
  /** The digests of the manifests of an index. */
  readonly children: readonly string[];
  /** The digest that it is attached to; empty for most. */
  readonly subject: string;
}

/** Layers that registries do not have, because their license forbids it. */
const FOREIGN = /foreign|nondistributable/;

/** Reads a manifest. Throws unless it has the digest, and everything that it names can be copied. */
export function readManifest(
  bytes: Buffer<ArrayBuffer>,
  contentType: string,
  digest: string,
): Manifest {
  const [algorithm = ""] = digest.split(":");
  if (!isDigest(digest) || digest !== `${algorithm}:${hash(algorithm, bytes, "hex")}`) {
    throw failed(`the source answers ${digest} with other content`);
  }
  const content = object(parseJson(bytes));
  if (Array.isArray(content.fsLayers)) {
    throw failed("images of Docker schema 1 cannot be copied", "build and push the image again");
  }
  const mediaType = text(content.mediaType) || (contentType.split(";", 1)[0] ?? "").trim();
  const config = content.config === undefined ? [] : [content.config];
  const layers = [...config, ...list(content.layers), ...list(content.blobs)]
    .map(object)
    .filter((one) => !FOREIGN.test(text(one.mediaType)));
  const children = list(content.manifests).map((one) => digestOf(object(one)));
  const subject = content.subject === undefined ? "" : digestOf(object(content.subject));
  return { digest, mediaType, bytes, blobs: layers.map(descriptorOf), children, subject };
}

function descriptorOf(descriptor: Readonly<Record<string, unknown>>): Descriptor {
  const { size } = descriptor;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) {
    throw failed("a descriptor of the manifest has no valid size");
  }
  return { digest: digestOf(descriptor), size };
}

function digestOf({ digest }: Readonly<Record<string, unknown>>): string {
  if (isDigest(digest)) return digest;
  throw failed("a descriptor of the manifest has no valid digest");
}
