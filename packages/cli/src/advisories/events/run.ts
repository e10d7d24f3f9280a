import { create } from "@bufbuild/protobuf";
import { advisoriesV1, isUid, parentOf } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { notFound, usageError } from "../../errors.ts";
import { changesOf, given } from "../../resource/given.ts";
import { timeAgo } from "../../resource/time.ts";
import { EVENT_COLUMNS } from "./columns.ts";
import type { updateDefinition } from "./commands.ts";
import { jsonOf } from "./findings.ts";
import { shownEvent } from "./shown.ts";
import { type Said, saidIn, typeOf } from "./types.ts";

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const { event: id, type, patchedVersions, time, issue, findings } = args;
  if (!isUid(id)) {
    const hint = "`wharf advisories events list ADVISORY` shows the uids of its events";
    throw usageError(`"${id}" is not the uid of an event`, hint);
  }
  const words = given({
    ...{ fixedVersion: args.fixedVersion, reason: args.reason, note: args.note },
    ...{ from: args.from, to: args.to, type },
    patchedVersions: patchedVersions.length > 0 ? patchedVersions : undefined,
  });
  const others = given({
    timestamp: time === undefined ? undefined : timeAgo("--time", time),
    issue,
    findings: findings === undefined ? undefined : jsonOf(findings),
  });
  changesOf({ ...words, ...others }, "--note, --fixed-version or another option");
  const client = (await context.client()).advisoriesV1;
  const { signal } = context;
  const { items } = await client.listAdvisoryEvents({ parentId: parentOf(id) }, { signal });
  const before = items.find((one) => one.id === id);
  if (before === undefined) throw notFound(`no event has the uid "${id}"`);
  const known = saidIn(before);
  const isSameType = type === undefined || type === known.type;
  const saysMore = Object.keys(words).some((name) => name !== "type");
  const said: Said = isSameType ? { ...known, ...words } : { ...NOTHING, ...words, type };
  const says = isSameType && !saysMore ? before.type : typeOf(said);
  // What scanners add stays as long as the type does.
  const value = isSameType ? { ...before.type.value, ...says.value } : says.value;
  const status = advisoriesV1.ReviewStatus.PENDING;
  const newType = { case: says.case, value } as typeof before.type;
  const { $typeName: _, ...rest } = before;
  const changed = { ...rest, ...others, type: newType, status };
  const message = create(advisoriesV1.AdvisoryEventSchema, changed);
  await client.updateAdvisoryEvent(message, { signal });
  context.err.note("changed the event, which waits for a review");
  await context.out.one(await shownEvent(context, id), EVENT_COLUMNS);
};

const NOTHING = {
  ...{ fixedVersion: undefined, patchedVersions: [], reason: undefined },
  ...{ from: undefined, to: undefined, note: undefined },
};
