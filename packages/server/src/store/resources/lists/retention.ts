import type { Writer } from "../../db/connection.ts";
import { dropList } from "./build.ts";
import { type BuildLimits, LIST_COLUMNS, type ListIndexRow } from "./list-index.ts";

/**
 * Deletes a part of one index that is void, unused, not maintained by every write, or of a list that has
 * become small; returns whether there is more to delete.
 */
export async function deleteUselessList(
  writer: Writer,
  usedBefore: number,
  { batchRows, sortedRows, blockRows }: BuildLimits,
): Promise<boolean> {
  const { asInteger } = writer.dialect;
  const useless = await writer.get<ListIndexRow>(
    `SELECT ${LIST_COLUMNS.replace(/\w+/g, "l.$&")} FROM list_indexes l
     LEFT JOIN counts c ON c.uid = l.scope AND c.kind = l.kind
     WHERE l.state = 'void' OR l.used < ? OR c.uid IS NULL OR c.changes <> l.changes
       OR l.filter_by = '' AND CASE l.reach WHEN 'children' THEN c.children ELSE c.descendants END
          < CASE l.form WHEN 'entries' THEN ${asInteger("?")} ELSE ${asInteger("?")} END
     LIMIT 1`,
    usedBefore,
    Math.floor(sortedRows / 2),
    Math.floor(blockRows / 2),
  );
  if (useless === undefined) return false;
  await dropList(writer, useless, batchRows);
  return true;
}
