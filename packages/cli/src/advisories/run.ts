import type { Advisory } from "@wharf/client";
import { EventTypeFilter, isUid, ReviewState } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { type Column, textOf, UID } from "../output/columns.ts";
import { resolveParent, resolveScope } from "../resolve/groups.ts";
import type { Kind } from "../resolve/kinds.ts";
import { MAX_CANDIDATES, onlyMatch } from "../resolve/names.ts";
import type { FilterArgs } from "../resource/commands.ts";
import { printOne, type Resource } from "../resource/run.ts";
import { updater } from "../resource/update.ts";
import { definedFields, readPastTime } from "../resource/values.ts";
import type { EVENT_TYPES } from "./events/types.ts";
import type { FILTERS, REVIEW_CHOICES, STATUS_CHOICES } from "./filters.ts";
import {
  eventTime,
  fixedVersions,
  reviewText,
  stateText,
  statusOf,
  statusText,
  timeOf,
} from "./status.ts";
import type { createDefinition } from "./write-commands.ts";
import { updateDefinition } from "./write-commands.ts";

const ADVISORY: Kind<Advisory> = {
  one: "advisory",
  many: "advisories",
  listCommand: "wharf advisories list",
  service: ({ advisories }) => advisories,
  label: ({ advisoryId }) => advisoryId,
  hint: ({ uid }) => uid,
};

const COLUMNS: readonly Column<Advisory>[] = [
  { header: "ID", value: ({ advisoryId }) => advisoryId, whole: true },
  { header: "Aliases", value: ({ aliases }) => aliases, short: shortAliases, whole: true },
  { header: "Artifact", value: ({ artifactName }) => artifactName },
  { header: "Component", value: ({ componentName }) => componentName },
  { header: "Status", value: statusOf },
  { header: "Fixed in", value: fixedVersions },
  { header: "Updated", value: ({ updateTime }) => updateTime },
  UID,
  { header: "Artifact type", value: ({ artifactType }) => artifactType, wide: true },
  { header: "Architecture", value: ({ artifactArchitecture }) => artifactArchitecture, wide: true },
  { header: "Component type", value: ({ componentType }) => componentType, wide: true },
  { header: "Location", value: ({ componentLocation }) => componentLocation, wide: true },
  {
    header: "Severities",
    value: ({ severities }) => severities.map(({ score }) => score),
    wide: true,
  },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
];

/** The first alias, and the number of others. */
function shortAliases({ aliases: [first, ...others] }: Advisory): string | undefined {
  return others.length === 0 ? first : `${first} +${others.length}`;
}

const TYPE_FILTERS: Readonly<Record<(typeof EVENT_TYPES)[number], EventTypeFilter>> = {
  detection: EventTypeFilter.DETECTION,
  "true-positive-determination": EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  "false-positive-determination": EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  fixed: EventTypeFilter.FIXED,
  patched: EventTypeFilter.PATCHED,
  "pending-upstream-fix": EventTypeFilter.PENDING_UPSTREAM_FIX,
  "analysis-not-planned": EventTypeFilter.ANALYSIS_NOT_PLANNED,
  "fix-not-planned": EventTypeFilter.FIX_NOT_PLANNED,
  "component-location-changed": EventTypeFilter.COMPONENT_LOCATION_CHANGED,
};

const STATUS_FILTERS: Readonly<Record<(typeof STATUS_CHOICES)[number], EventTypeFilter>> = {
  "under-investigation": EventTypeFilter.DETECTION,
  affected: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  "not-affected": EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  "pending-upstream-fix": EventTypeFilter.PENDING_UPSTREAM_FIX,
  fixed: EventTypeFilter.FIXED,
  patched: EventTypeFilter.PATCHED,
  "fix-not-planned": EventTypeFilter.FIX_NOT_PLANNED,
  "analysis-not-planned": EventTypeFilter.ANALYSIS_NOT_PLANNED,
};

const REVIEW_FILTERS: Readonly<Record<(typeof REVIEW_CHOICES)[number], ReviewState>> = {
  pending: ReviewState.PENDING,
  approved: ReviewState.APPROVED,
  "request-changes": ReviewState.REQUEST_CHANGES,
  rejected: ReviewState.REJECTED,
};

export const resource: Resource<Advisory, FilterArgs<typeof FILTERS>> = {
  kind: ADVISORY,
  columns: COLUMNS,
  details: [
    ...COLUMNS,
    { header: "Source", value: sourceText },
    {
      header: "Events",
      value: ({ events }) =>
        events
          .toSorted((a, b) => eventTime(a) - eventTime(b))
          .map(
            (event) => `${textOf(event.createTime)} ${statusText(event)} (${reviewText(event)})`,
          ),
    },
    {
      header: "Reviews",
      value: ({ events }) =>
        events
          .flatMap((event) => event.reviews.map((review) => ({ event, review })))
          .toSorted((a, b) => timeOf(a.review.time) - timeOf(b.review.time))
          .map(({ event, review }) => {
            const says = `${textOf(review.time)} ${statusText(event)}: ${stateText(review.state)}`;
            return `${says} by ${review.reviewer}${review.reason && `: ${review.reason}`}`;
          }),
    },
  ],
  nestsItself: true,
  find: findAdvisory,
  delete: ({ advisoriesV1 }, uid, options) => advisoriesV1.delete({ id: uid }, options),
  async select(context, args) {
    const { origin, query, status, event, review } = args;
    const updatedSince =
      args.updatedSince === undefined
        ? undefined
        : readPastTime("--updated-since", args.updatedSince);
    const { advisories } = await context.client();
    const request = {
      uidp: await resolveScope(context, args),
      advisoryIds: [...args.id],
      legacyAdvisoryIds: [...args.legacyId],
      aliases: [...args.alias],
      artifactNames: [...args.artifact],
      artifactTypes: [...args.artifactType],
      artifactArchitectures: [...args.architecture],
      componentNames: [...args.component],
      componentTypes: [...args.componentType],
      componentLocations: [...args.location],
      eventTypes: event === undefined ? [] : [TYPE_FILTERS[event]],
      eventReviewStates: review === undefined ? [] : [REVIEW_FILTERS[review]],
      eventAuthors: [...args.author],
      excludeEventAuthors: [...args.notAuthor],
      eventReviewers: [...args.reviewer],
      showDeleted: args.deleted,
      ...definedFields({
        origin,
        query,
        updatedSince,
        latestEventType: status && STATUS_FILTERS[status],
        orderBy: args.orderBy,
      }),
    };
    return advisories.listAll(request, { signal: context.signal });
  },
};

function sourceText({ source }: Advisory): string | undefined {
  const id = source?.osv?.id;
  if (typeof id !== "string") return undefined;
  return source?.inEffect ? id : `${id} (overridden, or not approved)`;
}

/** Finds an advisory by UID or ID. IDs are unique per group only. */
export async function findAdvisory(context: Context, text: string): Promise<Advisory> {
  const { advisories } = await context.client();
  const { signal } = context;
  if (isUid(text)) return advisories.get({ uid: text }, { signal });
  const request = { advisoryIds: [text], pageSize: MAX_CANDIDATES };
  const found = (await advisories.list(request, { signal })).advisories;
  const { uid } = await onlyMatch(context, ADVISORY, text, found, {
    words: ["has the ID", "have the ID"],
  });
  // Lists omit the source.
  return advisories.get({ uid }, { signal });
}

export const create: Run<typeof createDefinition> = async (context, args) => {
  const parent = await resolveParent(context, args.parent);
  const advisory = {
    artifactName: args.artifact,
    artifactType: args.artifactType,
    aliases: [...args.alias],
    ...definedFields({
      artifactArchitecture: args.architecture,
      componentName: args.component,
      componentType: args.componentType,
      componentLocation: args.location,
      legacyAdvisoryID: args.legacyId,
      advisoryId: args.id,
    }),
  };
  const { advisoriesV1 } = await context.client();
  const { signal } = context;
  const created = await advisoriesV1.create({ parentId: parent.uid, advisory }, { signal });
  context.err.note(`created advisory ${created.advisoryId} in ${parent.name}`);
  await printOne(context, resource, await findAdvisory(context, created.id));
};

export const update = updater(updateDefinition, {
  resource,
  find: findAdvisory,
  // Version 1 replaces the whole advisory, so unchanged fields are sent, too.
  fields: {
    artifactName: ({ args, current }) => args.artifact ?? current.artifactName,
    artifactType: ({ args, current }) => args.artifactType ?? current.artifactType,
    artifactArchitecture: ({ args, current }) => args.architecture ?? current.artifactArchitecture,
    componentName: ({ args, current }) => args.component ?? current.componentName,
    componentType: ({ args, current }) => args.componentType ?? current.componentType,
    componentLocation: ({ args, current }) => args.location ?? current.componentLocation,
    aliases: ({ args: { alias }, current }) =>
      alias.length > 0 ? alias.filter((each) => each !== "") : current.aliases,
    legacyAdvisoryID: ({ args, current }) => args.legacyId ?? current.legacyAdvisoryId,
  },
  async send(wharf, { uid, ...advisory }, _mask, options) {
    await wharf.advisoriesV1.update({ id: uid, ...advisory }, options);
    return wharf.advisories.get({ uid }, options);
  },
});
