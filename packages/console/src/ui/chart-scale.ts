/** A series of counts, with a color and a texture. */
export interface Series {
  readonly name: string;
  readonly tone: "accent" | "good" | "bad" | "warn" | "soft";
  /** One value per column. */
  readonly values: readonly number[];
}

/** The segments of a stacked column, from the bottom up. */
export function stacked(series: readonly Series[], at: number) {
  let from = 0;
  return series.flatMap(({ tone, values }) => {
    const part = { tone, from, to: from + (values[at] ?? 0) };
    from = part.to;
    return part.to > part.from ? [part] : [];
  });
}

/** The end of the axis: an even round number that is not below the value. */
export function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 4, 6, 8, 10].find((one) => one * power >= value) ?? 10;
  return Math.max(2, factor * power);
}
