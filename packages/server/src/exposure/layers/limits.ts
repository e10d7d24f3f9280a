const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Limits of reading one image. */
export const LAYER_LIMITS = {
  layers: 256,
  /** Decompressed bytes of all layers. */
  expandedBytes: 64 * GIB,
  /** Entries of all layers. */
  entries: 4_000_000,
  /** Symbolic links that are remembered, to follow them. */
  links: 500_000,
  /** Bytes of one file that is read; larger ones are a problem of that file. */
  fileBytes: 128 * MIB,
  /** Bytes of all databases that are kept until all layers were read. */
  keptBytes: 256 * MIB,
  packages: 200_000,
  /** Targets of hard links that are read in a second pass. */
  linked: 20_000,
  /** Problems that are listed; the rest is counted. */
  problems: 100,
  /** Bytes that the process answers. */
  answerBytes: 128 * MIB,
  /** The heap of the process. */
  heapBytes: 512 * MIB,
  /** All memory of the process, where Linux tells it. */
  memoryBytes: 1024 * MIB,
  timeoutMs: 10 * 60_000,
} as const;

export type LayerLimits = Readonly<Record<keyof typeof LAYER_LIMITS, number>>;
