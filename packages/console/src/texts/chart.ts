const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const chartTexts = {
  table: "Show as table",
  time: "When",
  number: (value: number) => number.format(value),
  description: (series: readonly string[], isLevel: boolean) =>
    `Column chart: ${series.join(", ")} ${isLevel ? "at the end" : "in all"}. The table below has all numbers.`,
} as const;
