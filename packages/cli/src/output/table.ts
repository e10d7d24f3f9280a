import type { Style, StyleName } from "../terminal/terminal.ts";
import { cut, harmless, pad, widthOf } from "../terminal/width.ts";

const GAP = 2;

/** A table. At a narrow terminal, the widest columns are truncated, but for those that are to stay whole. */
export function table(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
  style: Style,
  whole: readonly boolean[] = [],
  /** The styles of the cells of each row. */
  styles: readonly (readonly (StyleName | undefined)[])[] = [],
): string[] {
  const shown = rows.map((row) => row.map(harmless));
  const widths = headers.map((header, at) =>
    Math.max(widthOf(header), ...shown.map((row) => widthOf(row[at] ?? ""))),
  );
  const fitted = width === undefined ? widths : fit(widths, width, whole);
  const line = (cells: readonly string[], names: readonly (StyleName | undefined)[] = []) =>
    cells
      .map((cell, at) => {
        const text = cut(cell, fitted[at] as number);
        const name = names[at];
        const space = " ".repeat((fitted[at] as number) - widthOf(text));
        return `${name === undefined ? text : style[name](text)}${space}`;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [style.bold(line(headers)), ...shown.map((row, at) => line(row, styles[at]))];
}

/** Shrinks the widest columns that need not stay whole until all fit, or none can shrink any further. */
export function fit(
  widths: readonly number[],
  width: number,
  whole: readonly boolean[] = [],
): number[] {
  const fitted = [...widths];
  const available = width - GAP * (widths.length - 1);
  let over = fitted.reduce((sum, each) => sum + each, 0) - available;
  while (over > 0) {
    const shrinkable = fitted.filter((_, at) => !whole[at]);
    const widest = Math.max(0, ...shrinkable);
    if (widest <= 1) break;
    const next = Math.max(1, ...shrinkable.filter((each) => each < widest));
    const all = fitted.flatMap((each, at) => (each === widest && !whole[at] ? [at] : []));
    const each = Math.min(widest - next || 1, Math.ceil(over / all.length));
    for (const at of all) {
      const taken = Math.min(each, over);
      fitted[at] = widest - taken;
      over -= taken;
    }
  }
  return fitted;
}

/** A single item, one line per field. */
export function sheet(fields: readonly (readonly [string, string])[], style: Style): string[] {
  const width = Math.max(0, ...fields.map(([name]) => widthOf(name) + 1));
  return fields.map(([name, value]) =>
    `${style.bold(pad(`${name}:`, width))}  ${harmless(value)}`.trimEnd(),
  );
}

/** The nesting of items. */
export interface TreeOf<T> {
  readonly id: (item: T) => string;
  readonly label: (item: T) => string;
  /** The ID of the parent. Default: the UID without its last segment. */
  readonly parent?: (item: T) => string | undefined;
}

/** A tree as lines. Items without a listed parent are at the top. */
export function treeLines<T>(items: readonly T[], tree: TreeOf<T>): string[] {
  const { id, label, parent = (item: T) => parentUid(id(item)) } = tree;
  const there = new Set(items.map(id));
  const children = Map.groupBy(items, (item) => {
    const above = parent(item);
    return above !== undefined && there.has(above) ? above : undefined;
  });
  const lines: string[] = [];
  const draw = (item: T, first: string, rest: string) => {
    lines.push(`${first}${label(item)}`);
    const below = children.get(id(item)) ?? [];
    for (const [at, next] of below.entries()) {
      const last = at === below.length - 1;
      draw(next, `${rest}${last ? "└── " : "├── "}`, `${rest}${last ? "    " : "│   "}`);
    }
  };
  for (const top of children.get(undefined) ?? []) draw(top, "", "");
  return lines;
}

function parentUid(uid: string): string | undefined {
  const at = uid.lastIndexOf("/");
  return at < 0 ? undefined : uid.slice(0, at);
}
