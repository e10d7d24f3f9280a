import { notFound } from "../../lib/errors.ts";
import type { Mutation } from "./mutation.ts";

/** The parent of what a group or a repo may have: the uid of an existing one, which nobody deletes meanwhile. */
export async function groupOrRepo(
  { tx, deps: { catalog } }: Mutation,
  parent: string,
): Promise<string> {
  const { groups, repos } = catalog;
  if (await groups.table.keep(tx, parent)) return parent;
  if (await repos.table.keep(tx, parent)) return parent;
  throw notFound(groups.typeName, parent);
}
