/** How things hang together. */
export interface TreeOf<T> {
  readonly id: (item: T) => string;
  readonly label: (item: T) => string;
  /** The id of what the thing is under. By default, its uid without the last part. */
  readonly parent?: (item: T) => string | undefined;
}

/** Things below each other, as lines. What is under something that is not there is at the top. */
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
