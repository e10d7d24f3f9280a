/** Short texts of tables for people; other formats have the whole value. */

import type { Column } from "./columns.ts";

/** A digest of what it identifies. */
export const DIGEST: Column<{ readonly digest: string }> = {
  header: "Digest",
  value: ({ digest }) => digest,
  short: ({ digest }) => shortDigest(digest),
  whole: true,
};

/** The usual algorithm is omitted. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, "").replace(/^((?:\w+:)?[0-9a-f]{12})[0-9a-f]+$/, "$1");
}

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"] as const;

/** A number of bytes with three digits or one decimal, in powers of 1000. */
export function sizeText(bytes: number | bigint): string {
  let size = Number(bytes);
  let unit = 0;
  // 999.95 kB would be rounded to 1000.0.
  while (size >= (unit === 0 ? 1000 : 999.95) && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
