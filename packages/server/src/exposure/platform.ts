export const DEFAULT_PLATFORM = "linux/amd64";

/** The image for a platform. Without one, that of the default platform, or the only one. */
export function imageFor<I extends { readonly platform: string }>(
  images: readonly I[],
  platform: string,
): I | undefined {
  const only = platform === "" && images.length === 1 ? images[0] : undefined;
  return images.find((one) => one.platform === (platform || DEFAULT_PLATFORM)) ?? only;
}
