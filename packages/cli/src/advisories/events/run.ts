import { create } from "@bufbuild/protobuf";
import type { AdvisoryEvent } from "@wharf/client";
import { advisoriesV1, isUid, parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { notFound, usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { definedFields, nonEmptyList, readPastTime } from "../../resource/values.ts";
import { findAdvisory } from "../run.ts";
import { reviewText, statusText } from "../status.ts";
import type { addDefinition, listDefinition, updateDefinition } from "./commands.ts";
import { contentOf, EMPTY_CONTENT, type EventContent, typeOf } from "./types.ts";

export const EVENT_COLUMNS: readonly Column<AdvisoryEvent>[] = [
  { header: "Time", value: ({ createTime }) => createTime },
  { header: "Says", value: statusText },
  { header: "Detail", value: detailText },
  { header: "Review", value: reviewText },
  UID,
  { header: "Products", value: ({ products }) => products, wide: true },
  { header: "Components", value: ({ subcomponents }) => subcomponents, wide: true },
  { header: "Author", value: ({ author }) => author, wide: true },
  { header: "Reviewer", value: ({ reviewer }) => reviewer, wide: true },
  { header: "Reason", value: ({ reviewReason }) => reviewReason, wide: true },
  { header: "Note", value: noteText, wide: true },
  { header: "Issue", value: ({ issue }) => issue, wide: true },
];

function detailText({ type }: AdvisoryEvent): string {
  switch (type.case) {
    case "fixed":
      return type.value.fixedVersion;
    case "patched":
      return type.value.patchedVersions.join(", ");
    case "detection":
      return type.value.type.case === "scanv1" ? type.value.type.value.scanner : "";
    case "componentLocationChanged":
      return `${type.value.previousLocation} → ${type.value.newLocation}`;
    default:
      return "";
  }
}

function noteText({ type }: AdvisoryEvent): string {
  return type.value !== undefined && "note" in type.value ? type.value.note : "";
}

export const list: Run<typeof listDefinition> = async (context, args) => {
  const { events } = await findAdvisory(context, args.advisory);
  await context.out.list(events, EVENT_COLUMNS, { what: "events", arrangement: args });
};

export const add: Run<typeof addDefinition> = async (context, args) => {
  const advisoryEvent = create(advisoriesV1.AdvisoryEventSchema, {
    type: typeOf(args) as advisoriesV1.AdvisoryEvent["type"],
    ...metadataOf(args),
  });
  const { uid: parentId, advisoryId } = await findAdvisory(context, args.advisory);
  const client = (await context.client()).advisoriesV1;
  const { signal } = context;
  const { id } = await client.createAdvisoryEvent({ parentId, advisoryEvent }, { signal });
  context.err.note(`added an event to ${advisoryId}; it is pending review`);
  await context.out.one(await findEvent(context, id), EVENT_COLUMNS);
};

export const update: Run<typeof updateDefinition> = async (context, args) => {
  const { event: uid, type, fixedVersion, reason, note, from, to } = args;
  if (!isUid(uid)) {
    throw usageError(
      `EVENT: expected the UID of an event, got "${uid}"`,
      "`wharf advisories events list ADVISORY` lists the UIDs of its events",
    );
  }
  const patchedVersions = nonEmptyList(args.patchedVersions);
  const content = definedFields({ fixedVersion, reason, note, from, to, patchedVersions });
  const metadata = metadataOf(args);
  if (Object.keys({ ...content, ...metadata }).length === 0 && type === undefined) {
    throw usageError("nothing to change", "--help lists the options");
  }
  const { $typeName: _, ...current } = await findStoredEvent(context, uid);
  const event = create(advisoriesV1.AdvisoryEventSchema, {
    ...current,
    ...metadata,
    type: updatedType(current.type, type, content),
    status: advisoriesV1.ReviewStatus.PENDING,
  });
  const { signal } = context;
  await (await context.client()).advisoriesV1.updateAdvisoryEvent(event, { signal });
  context.err.note("updated the event; it is pending review");
  await context.out.one(await findEvent(context, uid), EVENT_COLUMNS);
};

type StoredType = advisoriesV1.AdvisoryEvent["type"];

/** Merges options into the content of an event. A new type starts without content. */
function updatedType(
  stored: StoredType,
  type: EventContent["type"] | undefined,
  options: Partial<EventContent>,
): StoredType {
  const current = contentOf(stored);
  if (type !== undefined && type !== current.type) {
    return typeOf({ ...EMPTY_CONTENT, ...options, type }) as StoredType;
  }
  if (Object.keys(options).length === 0) return stored;
  const merged = typeOf({ ...current, ...options });
  // Keeps fields that only scanners set.
  return { case: merged.case, value: { ...stored.value, ...merged.value } } as StoredType;
}

/** Fields that events of all types have. */
function metadataOf(args: {
  readonly time: string | undefined;
  readonly issue: string | undefined;
  readonly findings: string | undefined;
}) {
  const { time, issue, findings } = args;
  return definedFields({
    timestamp: time === undefined ? undefined : readPastTime("--time", time),
    issue,
    findings: findings === undefined ? undefined : readFindings(findings),
  });
}

function readFindings(text: string): Uint8Array<ArrayBuffer> {
  try {
    JSON.parse(text);
  } catch {
    throw usageError("--findings must be a JSON file");
  }
  return new TextEncoder().encode(text);
}

/** An event as version 2 of the API returns it. */
export async function findEvent({ client, signal }: Context, uid: string): Promise<AdvisoryEvent> {
  const { advisories } = await client();
  const { events } = await advisories.get({ uid: parentOf(uid) }, { signal });
  return found(
    uid,
    events.find((event) => event.uid === uid),
  );
}

/** An event as version 1 of the API returns it, which takes updates. */
export async function findStoredEvent(
  { client, signal }: Context,
  uid: string,
): Promise<advisoriesV1.AdvisoryEvent> {
  const { advisoriesV1: service } = await client();
  const { items } = await service.listAdvisoryEvents({ parentId: parentOf(uid) }, { signal });
  return found(
    uid,
    items.find(({ id }) => id === uid),
  );
}

function found<T>(uid: string, event: T | undefined): T {
  if (event === undefined) throw notFound(`no event has the UID "${uid}"`);
  return event;
}
