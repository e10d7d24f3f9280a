import { ancestorsOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import type { Items } from "../output/output.ts";
import { groupNames } from "../resolve/group-names.ts";
import type { HasUid } from "../resolve/kinds.ts";

export interface PrintOptions<T> {
  /** The kind of resource, in the plural, for an empty list. */
  readonly what: string;
  /** The label of a resource in a tree. */
  readonly label: (item: T) => string;
}

/** Prints resources; as a tree, below the groups that contain them. */
export async function printList<T extends HasUid>(
  context: Context,
  items: Items<T>,
  columns: readonly Column<T>[],
  { what, label }: PrintOptions<T>,
): Promise<void> {
  const { out, progress } = context;
  await progress(`listing ${what}`, async () => {
    if (out.format !== "tree") return out.list(items, columns, { what });
    const all = await Array.fromAsync<T>(items);
    const leaves = all.map((item) => ({ uid: item.uid, label: label(item) }));
    await printTree(context, leaves, what);
  });
}

export interface Leaf {
  readonly uid: string;
  readonly label: string;
}

/** Prints a tree of groups with these leaves, placed by their UIDs. */
export async function printTree(
  context: Context,
  leaves: readonly Leaf[],
  what: string,
): Promise<void> {
  const names = await groupNames(
    context,
    leaves.flatMap(({ uid }) => ancestorsOf(uid)),
  );
  const groups = [...names].map(([uid, label]) => ({ uid, label }));
  const nodes = [...groups.sort((a, b) => a.label.localeCompare(b.label)), ...leaves];
  const columns: Column<Leaf>[] = [{ header: "Name", value: ({ label }) => label }];
  await context.out.list(nodes, columns, { what });
}
