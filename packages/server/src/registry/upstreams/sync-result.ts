/** The counts of a synchronization, in tags. */
export interface SyncResult {
  readonly tags: number;
  readonly copied: number;
  readonly failed: number;
  /** Why it failed, or the first of its tags; empty if nothing has. */
  readonly error: string;
}

const NOTHING: SyncResult = { tags: 0, copied: 0, failed: 0, error: "" };

export function readSyncResult(json: string): SyncResult {
  return json === "" ? NOTHING : (JSON.parse(json) as SyncResult);
}
