/** Texts of sources of vulnerability data. */
import { counted } from "./exposure.ts";

export const SOURCE_KINDS = {
  VULNERABILITY_SOURCE_KIND_OSV: "OSV",
  VULNERABILITY_SOURCE_KIND_ALPINE: "Alpine secdb",
  VULNERABILITY_SOURCE_KIND_SECDB: "secdb file (Wolfi, Chainguard)",
  VULNERABILITY_SOURCE_KIND_KEV: "CISA known exploited vulnerabilities",
  VULNERABILITY_SOURCE_KIND_EPSS: "EPSS probabilities",
} as const;

export const SOURCE_STATES = {
  VULNERABILITY_SOURCE_STATE_UNSPECIFIED: "unknown",
  VULNERABILITY_SOURCE_STATE_PENDING: "not imported yet",
  VULNERABILITY_SOURCE_STATE_CURRENT: "current",
  VULNERABILITY_SOURCE_STATE_FAILING: "failing",
  VULNERABILITY_SOURCE_STATE_STALE: "stale",
  VULNERABILITY_SOURCE_STATE_PAUSED: "paused",
} as const;

export const sourceTexts = {
  add: "Add a source",
  added: (name: string) => `Added ${name}: its first import starts now`,
  lead: "Imported records are advisories of this organization or folder, and apply to the images below it.",
  empty: "No sources of vulnerability data",
  emptyText:
    "Add OSV for your languages and distributions, and findings appear after the first import.",
  lastSuccess: "Last import",
  data: "Data of",
  next: "Next",
  records: "Records",
  interval: "Interval",
  edit: "Edit",
  editTitle: (name: string) => `Edit ${name}`,
  edited: (name: string) => `Saved ${name}`,
  run: "Import now",
  running: (name: string) => `Import of ${name} requested`,
  pause: "Pause",
  resume: "Resume",
  paused: (name: string) => `Paused ${name}`,
  resumed: (name: string) => `Resumed ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: "What it has imported stays, and gets old.",
  deleted: (name: string) => `Deleted ${name}`,
  failingSince: "failing since",
  rejected: (count: number) => counted(count, "record was rejected", "records were rejected"),
  rejectedTitle: "Rejected records",
  fields: {
    name: "Name",
    kind: "Kind",
    url: "Address",
    urlHint: "Empty for the public address.",
    ecosystems: "Ecosystems",
    ecosystemsHint:
      "One per line, such as npm, PyPI, Debian; for Alpine releases such as Alpine:v3.20.",
    interval: "Interval",
    intervals: {
      "": "default",
      "900s": "15 minutes",
      "3600s": "1 hour",
      "21600s": "6 hours",
      "86400s": "1 day",
    },
    token: "Token",
    tokenHint: "Sent as a bearer token. Empty keeps the stored one.",
    checksum: "Checksum",
    checksumHint: "sha256: and 64 hexadecimal digits, or an https address of it.",
  },
  installation: "KEV and EPSS apply to the whole installation: only its operator adds them.",
  never: "never",
  noData: "unknown",
} as const;
