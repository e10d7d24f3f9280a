import { ancestorsOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import type { Items } from "../output/output.ts";
import { groupNames } from "../resolve/group-names.ts";

export interface PrintOptions<T> {
  /** What there is none of when the list is empty. */
  readonly what: string;
  /** What a tree shows of each. */
  readonly label: (item: T) => string;
}

/** Prints things that live in groups; as a tree, below the groups that they live in. */
export async function printList<T extends { readonly uid: string }>(
  context: Context,
  items: Items<T>,
  columns: readonly Column<T>[],
  { what, label }: PrintOptions<T>,
): Promise<void> {
  const { out, progress } = context;
  await progress(`listing ${what}`, async () => {
    if (out.format !== "tree") return out.list(items, columns, { what });
    const all = (await Array.fromAsync<T>(items)).map((item) => ({
      uid: item.uid,
      label: label(item),
    }));
    await printTree(context, all, what);
  });
}

/** A line of a tree. */
export interface Leaf {
  readonly uid: string;
  readonly label: string;
}

/** Prints lines below the groups that their uids say they are in. */
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
