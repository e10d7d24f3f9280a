import { VulnerabilitySourceKind as Kind } from "@wharf/contract";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export const MIN_INTERVAL_MS = 5 * MINUTE;
export const MAX_INTERVAL_MS = 30 * 24 * HOUR;

/** The rules of one kind of source. */
export interface SourceKind {
  /** The public address; undefined if there is none. */
  readonly url?: string;
  readonly intervalMs: number;
  /** The number of its ecosystems. */
  readonly ecosystems: "several" | "one" | "none";
  /** Whether it is one file, which can have a checksum. */
  readonly isFile: boolean;
  /** Whether its records are facts about vulnerabilities, which all groups share. */
  readonly isShared: boolean;
}

const FOLDER = { ecosystems: "several", isFile: false, isShared: false } as const;
const FACTS = { ecosystems: "none", isFile: true, isShared: true } as const;

export const SOURCE_KINDS: Readonly<Partial<Record<Kind, SourceKind>>> = {
  [Kind.OSV]: {
    ...FOLDER,
    url: "https://osv-vulnerabilities.storage.googleapis.com",
    intervalMs: HOUR,
  },
  [Kind.ALPINE]: {
    ...FOLDER,
    url: "https://secdb.alpinelinux.org",
    intervalMs: HOUR,
  },
  [Kind.SECDB]: { intervalMs: HOUR, ecosystems: "one", isFile: true, isShared: false },
  [Kind.KEV]: {
    ...FACTS,
    url: "https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json",
    intervalMs: HOUR,
  },
  [Kind.EPSS]: {
    ...FACTS,
    url: "https://epss.empiricalsecurity.com/epss_scores-current.csv.gz",
    intervalMs: 24 * HOUR,
  },
};
