import type { Transaction } from "../../../db/commit/transaction.ts";
import type { Reader } from "../../../db/connection.ts";

/** Numbers of findings of an image by severity; differences of them when they change. */
export interface FindingCount {
  readonly image: number;
  readonly severity: number;
  /** Affected, or not comparable. */
  readonly open: number;
  /** Open ones with a fix. */
  readonly fixable: number;
  /** Findings that a statement hides. */
  readonly suppressed: number;
}

/** Adds differences to the counts of images. */
export async function addCounts(
  tx: Transaction,
  differences: readonly FindingCount[],
): Promise<void> {
  if (differences.length === 0) return;
  const { asInteger, tuples } = tx.dialect;
  const numbers = ["image", "severity", "open", "fixable", "suppressed"];
  const added = ["open", "fixable", "suppressed"].map(
    (column) => `${column} = finding_counts.${column} + excluded.${column}`,
  );
  await tx.run(
    `INSERT INTO finding_counts (${numbers.join(", ")})
     SELECT ${numbers.map(asInteger).join(", ")} FROM (${tuples(...numbers)}) given WHERE true
     ON CONFLICT (image, severity) DO UPDATE SET ${added.join(", ")}`,
    JSON.stringify(
      differences.map(({ image, severity, open, fixable, suppressed }) => {
        return [image, severity, open, fixable, suppressed];
      }),
    ),
  );
}

/** The counts of images, by severity. */
export async function countsOfImages(
  reader: Reader,
  images: readonly number[],
): Promise<FindingCount[]> {
  if (images.length === 0) return [];
  return reader.all<FindingCount>(
    `SELECT image, severity, open, fixable, suppressed FROM finding_counts
     WHERE image IN (${reader.dialect.integers}) ORDER BY image, severity`,
    JSON.stringify(images),
  );
}
