const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const chartTexts = {
  table: "Show as table",
  time: "When",
  number: (value: number) => number.format(value),
  description: (series: readonly string[]) =>
    `Column chart: ${series.join(", ")} in all. The table below has all numbers.`,
} as const;
