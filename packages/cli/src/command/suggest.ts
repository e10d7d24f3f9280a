/** A word that differs more than this is another word, not a slip. */
const FAR = 0.4;

/** The candidates that a mistyped word may have meant, nearest first. */
export function suggest(word: string, candidates: Iterable<string>): string[] {
  const near: { candidate: string; far: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const far = candidate.startsWith(word) && word.length > 1 ? 0 : distance(word, candidate);
    if (far <= Math.max(1, Math.floor(candidate.length * FAR))) near.push({ candidate, far });
  }
  near.sort((a, b) => a.far - b.far);
  return near.slice(0, 3).map(({ candidate }) => candidate);
}

/** A question that names them, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = suggest(word, candidates);
  return found.length === 0 ? undefined : `did you mean ${found.join(" or ")}?`;
}

/** Edits between two words, where two neighbours that changed places count as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const above = rows[i - 1] as number[];
      let least = Math.min(
        (above[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (above[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, ((rows[i - 2] as number[])[j - 2] as number) + 1);
      }
      row.push(least);
    }
    rows.push(row);
  }
  return (rows[a.length] as number[])[b.length] as number;
}
