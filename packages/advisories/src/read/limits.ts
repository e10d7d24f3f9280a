/** Size limits of one document: at least ten times the maximum found in public feeds. */
export const READ_LIMITS = {
  /** Larger documents are rejected before they are parsed. */
  documentBytes: 16 * 1024 * 1024,
  /** YAML takes a hundred times as long to parse as JSON, and is written by hand. */
  yamlBytes: 4 * 1024 * 1024,
  /** Tokens of YAML: enough for 5,000 advisories with a scan and a fix each. */
  yamlTokens: 400_000,
  /** Nesting of objects and lists. Product trees of CSAF are the deepest. */
  depth: 100,
  advisories: 10_000,
  events: 1_000,
  /** Names of one vulnerability. Notices about a kernel refer to several hundred CVEs. */
  aliases: 2_000,
  severities: 100,
  /** Products that an event names, as the API limits it. */
  eventProducts: 200,
  products: 100_000,
  /** VEX statements about one product: four bytes of a document can become some hundred bytes of memory. */
  statements: 200_000,
  /** Products named by flags, threats and remediations of CSAF: each may name groups of all products. */
  productReferences: 2_000_000,
  /** Characters of a name, an id or a version. */
  nameLength: 1_024,
  /** Characters of a package URL, or of an id made of package URLs: percent-encoding takes up to nine for one. */
  urlLength: 32_768,
  /** Characters of the location of a component, which may list many places. */
  locationLength: 65_536,
  /** Bytes of an OSV record as JSON, without `affected`. */
  recordBytes: 1024 * 1024,
  /** Bytes of the entries of `affected` that are about one package. */
  affectedBytes: 1024 * 1024,
  /** Bytes of the entries of `affected` that all advisories of a document of Wharf name: they may share entries. */
  restoredBytes: 64 * 1024 * 1024,
  /** Nesting of objects and lists in an OSV record: messages nest twice as deep, and are limited to 100. */
  recordDepth: 30,
  /** Characters of a note. */
  textLength: 4_096,
  /** Characters that VEX documents of Wharf have before a note. */
  sentenceLength: 100,
  /** Problems that are reported: a faulty generator repeats the same one thousands of times. */
  problems: 20,
} as const;

export type ReadLimits = Readonly<Record<keyof typeof READ_LIMITS, number>>;
