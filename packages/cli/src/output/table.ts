import type { Style } from "../terminal/terminal.ts";
import { cut, harmless, pad, widthOf } from "../terminal/width.ts";

const GAP = 2;

/** Rows in columns. Where the terminal is too narrow, the widest columns give way. */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  style: Style,
): string[] {
  const shown = rows.map((row) => row.map(harmless));
  const widths = headers.map((header, at) =>
    Math.max(widthOf(header), ...shown.map((row) => widthOf(row[at] ?? ""))),
  );
  const fitted = width === undefined ? widths : fit(widths, width);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => pad(cut(cell, fitted[at] as number), fitted[at] as number))
      .join(" ".repeat(GAP))
      .trimEnd();
  return [style.bold(line(headers)), ...shown.map(line)];
}

/** Takes cells from the widest column until all fit. */
export function fit(widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  const room = width - GAP * (widths.length - 1);
  let over = fitted.reduce((sum, each) => sum + each, 0) - room;
  while (over > 0) {
    const widest = Math.max(...fitted);
    if (widest <= 1) break;
    const next = Math.max(1, ...fitted.filter((each) => each < widest));
    const all = fitted.flatMap((each, at) => (each === widest ? [at] : []));
    const each = Math.min(widest - next || 1, Math.ceil(over / all.length));
    for (const at of all) {
      const taken = Math.min(each, over);
      fitted[at] = widest - taken;
      over -= taken;
    }
  }
  return fitted;
}

/** One thing, a line for each of its fields. */
export function sheet(fields: readonly (readonly [string, string])[], style: Style): string[] {
  const width = Math.max(0, ...fields.map(([name]) => widthOf(name) + 1));
  return fields.map(([name, value]) =>
    `${style.bold(pad(`${name}:`, width))}  ${harmless(value)}`.trimEnd(),
  );
}
