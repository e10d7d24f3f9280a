/** Layers that registries do not distribute, for legal reasons: of Windows. */
const FOREIGN =
  /^application\/vnd\.(?:oci\.image\.layer\.nondistributable|docker\.image\.rootfs\.foreign)\b/;

/** Layers of OCI and Docker. Their first bytes tell the compression. */
const LAYER =
  /^application\/vnd\.(?:oci\.image\.layer\.v1\.tar|docker\.image\.rootfs\.diff(?:\.tar|\.x-gtar|\+x-gtar)?)(?:[.+](?:gzip|zstd))?$/;

/** The kind of the layers of a media type. */
export function layerKind(mediaType: string): "layer" | "foreign" | "unsupported" {
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  if (FOREIGN.test(type)) return "foreign";
  return LAYER.test(type) ? "layer" : "unsupported";
}
