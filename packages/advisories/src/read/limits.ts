/** What one document may hold. Each bound is ten times the largest seen in public feeds, or more. */
export const READ_LIMITS = {
  /** Larger ones are refused before they are read. */
  documentBytes: 16 * 1024 * 1024,
  /** YAML takes a hundred times as long to read as JSON, and people write it by hand. */
  yamlBytes: 4 * 1024 * 1024,
  /** Names, values, marks and lines of YAML: 5,000 advisories with a scan and a fix each have as many. */
  yamlPieces: 400_000,
  /** Objects and lists in one another. CSAF's product trees are the deepest there are. */
  depth: 100,
  advisories: 10_000,
  events: 1_000,
  aliases: 100,
  products: 100_000,
  /** What VEX says of one vulnerability in one product: a few hundred bytes of memory for each four of a document. */
  statements: 200_000,
  /** Products that flags, threats and remediations are about: each of these may name groups of all. */
  remarks: 2_000_000,
  /** Characters of a name, an id or a version. */
  wordLength: 1_024,
  /** Characters of a package URL or of an id that is made of some: each of a name's may take nine. */
  urlLength: 32_768,
  /** Characters of a note. */
  textLength: 4_096,
  /** Characters that VEX of our own has before a note. */
  sentenceLength: 100,
  /** Problems that are told; one broken generator makes the same one thousands of times. */
  problems: 20,
} as const;
