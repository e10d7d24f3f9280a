import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import { groupPaths } from "../resolve/group-names.ts";
import type { HasUid } from "../resolve/kinds.ts";

/** Columns with one that shows the path of the group of each item, such as `acme/platform`, after the first ones. */
export function withGroup<T extends HasUid>(columns: readonly Column<T>[], position = 1) {
  return async (context: Context, items: readonly T[]): Promise<readonly Column<T>[]> => {
    const paths = await groupPaths(
      context,
      items.map(({ uid }) => uid),
    );
    const group: Column<T> = {
      header: "Group",
      value: ({ uid }) => paths.get(uid)?.replace(/\/$/, ""),
    };
    return columns.toSpliced(position, 0, group);
  };
}
