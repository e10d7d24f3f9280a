/** Size limits of one document: several times the largest SBOMs of images in public registries. */
export const SBOM_LIMITS = {
  /** Bytes of the document, with everything that wraps it. */
  bytes: 64 * 1024 * 1024,
  /** Documents up to this size are parsed at once, which is five times as fast; larger ones token by token. */
  wholeBytes: 8 * 1024 * 1024,
  /** Nesting of objects and lists. */
  depth: 64,
  /** Packages, images and other components, nested ones included. */
  components: 250_000,
  /** Relationships, those of files included: SPDX documents of images have one for each file. */
  edges: 1_000_000,
  /** VEX statements, counted for each product and subcomponent. */
  statements: 200_000,
  /** Values of one entry of a list that is read token by token. */
  values: 2_000_000,
  /** Characters of a name or a version. */
  nameLength: 1_024,
  /** Characters of a package URL, or of a reference, which may be made of one. */
  urlLength: 8_192,
  /** Characters of a license expression; some tools write the text of the license. */
  licenseLength: 1_024,
  /** Characters of a description, which is cut. */
  textLength: 2_000,
} as const;

export type SbomLimits = Readonly<Record<keyof typeof SBOM_LIMITS, number>>;
