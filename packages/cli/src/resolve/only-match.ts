import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import type { HasUid, Kind } from "./kinds.ts";
import { groupPaths } from "./names.ts";

/** Matches that are read and shown for an ambiguous name. */
export const MAX_CANDIDATES = 10;

/** The only match of a name. None and several are errors; the latter lists the candidates. */
export async function onlyMatch<T extends HasUid>(
  context: Context,
  { one, many, listCommand, label }: Kind<T>,
  text: string,
  found: readonly T[],
): Promise<T> {
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(`no ${one} is named "${text}"`, `\`${listCommand}\` lists all ${many}`);
  }
  if (second === undefined) return first;
  const paths = await groupPaths(
    context,
    found.map(({ uid }) => uid),
  );
  const candidates = found.map((item) => {
    const { description = "" } = item as { description?: string };
    return [item.uid, `${paths.get(item.uid)}${label(item)}`, description].filter(Boolean);
  });
  throw usageError(
    `${found.length}${found.length === MAX_CANDIDATES ? " or more" : ""} ${many} are named "${text}"`,
    ["give the UID or the path of one:", ...candidates.map((parts) => parts.join("  "))].join(
      "\n    ",
    ),
  );
}
