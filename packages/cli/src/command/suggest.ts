/** A larger share of edits makes it another word, not a typo. */
const MAX_EDIT_RATIO = 0.4;

/** The candidates closest to a mistyped word. */
export function suggest(word: string, candidates: Iterable<string>): string[] {
  const near: { candidate: string; edits: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const edits = candidate.startsWith(word) && word.length > 1 ? 0 : distance(word, candidate);
    if (edits <= Math.max(1, Math.floor(candidate.length * MAX_EDIT_RATIO)))
      near.push({ candidate, edits });
  }
  near.sort((a, b) => a.edits - b.edits);
  return near.slice(0, 3).map(({ candidate }) => candidate);
}

/** A hint with the closest candidates, as they are to be typed; undefined if none is close. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  typed: (candidate: string) => string = (candidate) => candidate,
): string | undefined {
  const found = suggest(word, candidates).map(typed);
  return found.length === 0 ? undefined : `did you mean ${found.join(" or ")}?`;
}

/** Damerau-Levenshtein distance: a transposition counts as one edit. */
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
