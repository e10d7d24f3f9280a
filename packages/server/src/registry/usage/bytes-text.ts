const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** A size for people, in powers of 1000 as clients show sizes of images: `1.5 GB`. */
export function bytesText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  // 999.95 kB would be rounded to 1000.0.
  while (size >= (unit === 0 ? 1000 : 999.95) && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${Number.isInteger(size) ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
