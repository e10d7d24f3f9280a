const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

const formats = UNITS.map(
  (unit, at) =>
    new Intl.NumberFormat("en", {
      style: "unit",
      unit,
      maximumFractionDigits: at === 0 ? 0 : 1,
    }),
);

/** A size as people read it: 12.3 MB. */
export function bytesText(bytes: number): string {
  const at = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return formats[at]?.format(bytes / 1000 ** at) ?? String(bytes);
}
