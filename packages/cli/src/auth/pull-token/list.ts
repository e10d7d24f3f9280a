import type { Identity } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Column } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import type { listDefinition } from "./commands.ts";
import { endOf, findPullTokens } from "./find.ts";

const DAY_MS = 24 * 3_600_000;

const COLUMNS: readonly Column<Identity>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Days left", value: (identity) => daysLeft(endOf(identity)) },
  { header: "Description", value: ({ description }) => description },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Last used", value: ({ lastSeenTime }) => lastSeenTime, wide: true },
  { header: "Ends", value: endOf, wide: true },
];

export const run: Run<typeof listDefinition> = async (context, { parent, expired }) => {
  const below = parent === undefined ? {} : { below: (await resolveGroup(context, parent)).uid };
  const found = findPullTokens(context, below);
  const shown = expired ? onlyEnded(found) : found;
  await context.progress("listing pull tokens", () =>
    context.out.list(shown, COLUMNS, { what: "pull tokens" }),
  );
};

async function* onlyEnded(identities: AsyncIterable<Identity>): AsyncGenerator<Identity> {
  for await (const identity of identities)
    if (endOf(identity).getTime() <= Date.now()) yield identity;
}

/** Whole days, the last one included; `expired` from then on. */
export function daysLeft(end: Date, now = Date.now()): string {
  const left = end.getTime() - now;
  return left <= 0 ? "expired" : String(Math.ceil(left / DAY_MS));
}
