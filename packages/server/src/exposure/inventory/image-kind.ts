import type { ImageManifest } from "@wharf/contract";
import { object, parseJson, text } from "../../registry/lenient-json.ts";
import type { ImageContents } from "./image-contents.ts";

/** Layers of file systems. Signatures and attestations have the same configuration as images, but other layers. */
const LAYER_TYPES = /^application\/vnd\.(?:oci\.image\.layer\.|docker\.image\.rootfs\.)/;

/** Configurations of images, which documents attached by older tools have as well. */
const CONFIG_TYPES = /^application\/vnd\.(?:oci\.image\.config\.|docker\.container\.image\.)/;

const MAX_CONFIG_BYTES = 8 * 1024 * 1024;

/** Whether a manifest with the configuration of an image is one. */
export function isImage({ artifactType, layers, subject }: ImageManifest): boolean {
  if (subject !== "" || (artifactType !== "" && !CONFIG_TYPES.test(artifactType))) return false;
  return layers.length === 0 || layers.some(({ mediaType }) => LAYER_TYPES.test(mediaType));
}

/** The platform of an image, from its configuration. */
export async function platformOf(
  contents: ImageContents,
  { config }: ImageManifest,
  architecture: string,
): Promise<string> {
  const bytes =
    config === undefined || config.digest === ""
      ? undefined
      : await contents.blob(config.digest, MAX_CONFIG_BYTES);
  const read = bytes === undefined ? {} : object(parseJson(bytes));
  const os = text(read.os) || "linux";
  const parts = [os, text(read.architecture) || architecture, text(read.variant)].filter(Boolean);
  return parts.length < 2 ? "" : parts.join("/").slice(0, 128).replaceAll("\0", "");
}
