import type { Advisory } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { ADVISORY_DETAILS } from "./columns.ts";
import type { describeDefinition } from "./commands.ts";

export const run: Run<typeof describeDefinition> = async (context, { advisory }) => {
  await context.out.one(await find(context, advisory), ADVISORY_DETAILS);
};

async function find({ client, signal }: Context, text: string): Promise<Advisory> {
  const { advisories } = await client();
  if (isUid(text)) return advisories.get({ uid: text }, { signal });
  const [found] = (await advisories.list({ advisoryIds: [text] }, { signal })).advisories;
  if (found !== undefined) return found;
  throw notFound(`no advisory has the id "${text}"`, "`wharf advisories list` shows what there is");
}
