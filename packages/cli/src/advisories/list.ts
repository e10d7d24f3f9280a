import { EventTypeFilter } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import { given } from "../iam/shared/given.ts";
import { within } from "../iam/shared/within.ts";
import { ADVISORY_COLUMNS } from "./columns.ts";
import type { listDefinition, STATUS_CHOICES } from "./commands.ts";

const EVENTS: Readonly<Record<(typeof STATUS_CHOICES)[number], EventTypeFilter>> = {
  "under-investigation": EventTypeFilter.DETECTION,
  affected: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  "not-affected": EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  "pending-upstream-fix": EventTypeFilter.PENDING_UPSTREAM_FIX,
  fixed: EventTypeFilter.FIXED,
  patched: EventTypeFilter.PATCHED,
  "fix-not-planned": EventTypeFilter.FIX_NOT_PLANNED,
  "analysis-not-planned": EventTypeFilter.ANALYSIS_NOT_PLANNED,
};

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { id, alias, artifact, component, architecture, origin, query, status } = args;
  const { advisories } = await context.client();
  const request = {
    uidp: await within(context, args),
    advisoryIds: [...id],
    aliases: [...alias],
    artifactNames: [...artifact],
    componentNames: [...component],
    artifactArchitectures: [...architecture],
    ...given({ origin, query, latestEventType: status && EVENTS[status] }),
  };
  await context.progress("listing advisories", () =>
    context.out.list(advisories.listAll(request, { signal: context.signal }), ADVISORY_COLUMNS, {
      what: "advisories",
    }),
  );
};
