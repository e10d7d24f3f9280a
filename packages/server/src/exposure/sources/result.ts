/** The rejected records that are named. */
const MAX_REJECTIONS = 50;
const MAX_TEXT = 500;

export interface Rejection {
  readonly name: string;
  readonly reason: string;
}

/** The counts of a complete import. */
export interface ImportResult {
  readonly records: number;
  readonly changed: number;
  readonly rejected: number;
  readonly rejections: readonly Rejection[];
}

const NOTHING: ImportResult = { records: 0, changed: 0, rejected: 0, rejections: [] };

export function readResult(json: string): ImportResult {
  return json === "" ? NOTHING : (JSON.parse(json) as ImportResult);
}

/** Counts the records of one import. Rejected ones do not stop it. */
export class SourceTally implements ImportResult {
  records = 0;
  changed = 0;
  rejected = 0;
  readonly rejections: Rejection[] = [];

  /** Adds a rejected record. The texts come from the source: control characters of terminals are left out. */
  reject(name: string, reason: string): void {
    this.records++;
    this.rejected++;
    if (this.rejections.length >= MAX_REJECTIONS) return;
    this.rejections.push({ name: shown(name), reason: shown(reason) });
  }
}

function shown(text: string): string {
  return text.replaceAll(/\p{C}/gu, "\uFFFD").slice(0, MAX_TEXT);
}
