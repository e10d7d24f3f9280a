import type { Advisory } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";

/** More that have the same id are not read through. */
const CANDIDATES = 10;

/** The advisory that someone means, by id or uid. Ids are given once in each group. */
export async function findAdvisory({ client, signal }: Context, text: string): Promise<Advisory> {
  const { advisories } = await client();
  if (isUid(text)) return advisories.get({ uid: text }, { signal });
  const request = { advisoryIds: [text], pageSize: CANDIDATES };
  const found = (await advisories.list(request, { signal })).advisories;
  const [first, second] = found;
  if (first === undefined) {
    const hint = "`wharf advisories list` shows what there is";
    throw notFound(`no advisory has the id "${text}"`, hint);
  }
  if (second === undefined) return first;
  throw usageError(
    `${found.length}${found.length === CANDIDATES ? " or more" : ""} advisories have the id "${text}"`,
    ["give the uid of one:", ...found.map(({ uid }) => uid)].join("\n    "),
  );
}
