/** Times for which content stays that nothing refers to. Operators cannot choose them; tests choose shorter ones. */
export interface ContentTimes {
  /** The lease of a link, from when a client relies on it: pushes of large images over slow lines take hours. */
  readonly leaseMs: number;
  /** Files that were stored within this time may belong to a push that adds their rows later. */
  readonly settleMs: number;
}

export const CONTENT_TIMES: ContentTimes = { leaseMs: 24 * 3_600_000, settleMs: 3_600_000 };
