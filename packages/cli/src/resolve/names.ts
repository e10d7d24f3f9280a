import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { harmless } from "../terminal/width.ts";
import { groupPaths } from "./group-names.ts";
import type { HasUid, Kind } from "./kinds.ts";
import { type Searched, suggestedNames } from "./suggestions.ts";

/** Maximum number of matches listed for an ambiguous name. */
export const MAX_CANDIDATES = 10;

const NAMED = ["is named", "are named"] as const;

interface MatchOptions {
  /** The noun for the kind of text that identifies a resource, singular and plural. */
  readonly words?: readonly [string, string];
  /** The scope of the search, for suggestions. */
  readonly searched?: Searched | undefined;
}

/** The only match of a name. None and several are errors; the latter lists the candidates. */
export async function onlyMatch<T extends HasUid>(
  context: Context,
  kind: Kind<T>,
  text: string,
  found: readonly T[],
  { words: [isNamed, areNamed] = NAMED, searched }: MatchOptions = {},
): Promise<T> {
  const { one, many, listCommand, label } = kind;
  const [first, second] = found;
  if (first === undefined) {
    const name = text.slice(searched?.path?.length ?? 0);
    const suggestion = await suggestedNames(context, kind, name, searched);
    throw notFound(
      `no ${one} ${isNamed} "${text}"`,
      suggestion ?? `\`${listCommand}\` lists all ${many}`,
    );
  }
  if (second === undefined) return first;
  const paths = await groupPaths(
    context,
    found.map(({ uid }) => uid),
  );
  const hasTwins = new Set(found.map(({ uid }) => paths.get(uid))).size < found.length;
  const candidates = found.map((item) => {
    const { description = "" } = item as { description?: string };
    return [item.uid, `${paths.get(item.uid)}${label(item)}`, harmless(description)].filter(
      Boolean,
    );
  });
  throw usageError(
    `${found.length}${found.length === MAX_CANDIDATES ? " or more" : ""} ${many} ${areNamed} "${text}"`,
    [
      `give the UID${hasTwins ? "" : " or the path"} of one:`,
      ...candidates.map((parts) => parts.join("  ")),
    ].join("\n    "),
  );
}
