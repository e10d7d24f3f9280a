import type { FindingCounts, Tag } from "@wharf/client";
import { InventoryState, parentOf } from "@wharf/contract";
import type { Context } from "../context.ts";
import { severityWord } from "../exposure/columns.ts";
import type { Column } from "../output/columns.ts";
import { problemOf } from "../problem.ts";

/** The server's limit of digests in a request. */
const MAX_DIGESTS = 200;

/** Formats that print wide columns. */
const WIDE: ReadonlySet<string> = new Set(["wide", "csv"]);

/** A wide column with the open findings of tags, in few requests: `2 critical, 5 high`. Other formats have none. */
export async function vulnerabilityColumns(
  context: Context,
  tags: readonly Tag[],
): Promise<readonly Column<Tag>[]> {
  if (!WIDE.has(context.out.format)) return [];
  const counts = new Map<string, FindingCounts>();
  for (const [repoUid, some] of Map.groupBy(tags, ({ uid }) => parentOf(uid))) {
    const digests = [...new Set(some.map(({ digest }) => digest))];
    for (let at = 0; at < digests.length; at += MAX_DIGESTS) {
      const page = digests.slice(at, at + MAX_DIGESTS);
      for (const one of await countsOf(context, repoUid, page)) {
        counts.set(`${repoUid} ${one.digest}`, one);
      }
    }
  }
  const value = ({ uid, digest }: Tag) => textOf(counts.get(`${parentOf(uid)} ${digest}`));
  return [{ header: "Vulnerabilities", value, wide: true }];
}

/** None for callers who may see tags, but no findings. */
async function countsOf(
  context: Context,
  repoUid: string,
  digests: string[],
): Promise<readonly FindingCounts[]> {
  const { findings } = await context.client();
  try {
    return (await findings.count({ repoUid, digests }, { signal: context.signal })).images;
  } catch (error) {
    if (problemOf(error).code !== "PERMISSION_DENIED") throw error;
    return [];
  }
}

/** An image without known packages is never said to have no vulnerability. */
function textOf(counts: FindingCounts | undefined): string | undefined {
  if (counts === undefined) return undefined;
  const { state, severities } = counts;
  const open = severities.map((one) => `${one.open} ${severityWord(one.severity)}`);
  if (open.length > 0) return open.join(", ");
  if (state === InventoryState.KNOWN) return "none";
  return state === InventoryState.WAITING ? "packages not read yet" : "packages unknown";
}
