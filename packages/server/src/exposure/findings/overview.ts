import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ExposureDay,
  ExposureDaySchema,
  ExposureSchema,
  FindingSeverity,
  type GetExposureRequest,
  InventoryState,
  SeverityCountSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readFindings } from "../../store/tables/exposure/findings/finding-list.ts";
import {
  countAffected,
  countsBySeverity,
  type DayChange,
  findingsByDay,
  imagesByState,
  medianToFix,
  type OverviewScope,
  vulnerabilitiesBySeverity,
} from "../../store/tables/exposure/findings/overview.ts";
import { OPEN_STATUSES } from "../assessment/finding.ts";
import { hasAdvisories, readMatchTime } from "../records/advisory-follower.ts";
import { findingsOf } from "./list-findings.ts";
import { reposOf } from "./scope.ts";

const MAX_DAYS = 400;

const DAY_MS = 24 * 3_600_000;

const OLDEST = {
  severities: [FindingSeverity.HIGH, FindingSeverity.CRITICAL],
  order: { column: "firstSeen", descending: false },
  limit: 10,
} as const;

/** The handler of GetExposure. */
export function getExposure({ store, catalog }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as GetExposureRequest;
    if (request.days < 0 || request.days > MAX_DAYS) {
      const description = `days must be from 0 to ${MAX_DAYS}`;
      throw invalidArgument({ field: "days", description });
    }
    const reader = store.readerFor(call);
    const costly = reader.costly ?? reader;
    const intervals = reposOf(catalog, call, request.uidp);
    const scope = { intervals, inUse: request.inUse, now: call.time };
    // The time of the last advisory would tell when others have changed one.
    const isBehind = await hasAdvisories({ store, catalog });
    const matched = isBehind ? await readMatchTime(reader) : call.time;
    const response = create(ExposureSchema, {
      ...(await imageNumbers(costly, scope)),
      ...(await findingNumbers(costly, scope)),
      ...(request.days > 0 && (await history(costly, scope, request.days))),
      ...(matched !== undefined && { matchTime: timestampFromMs(matched) }),
    });
    return messageReply(ExposureSchema, response);
  });
}

async function imageNumbers(reader: Reader, scope: OverviewScope) {
  const states = await imagesByState(reader, scope);
  const inState = (state: InventoryState) => BigInt(states.get(state) ?? 0);
  return {
    images: BigInt([...states.values()].reduce((sum, count) => sum + count, 0)),
    imagesWithPackages: inState(InventoryState.KNOWN),
    imagesWithoutPackages: inState(InventoryState.NONE),
    imagesWithRefusedDocuments: inState(InventoryState.REFUSED),
    imagesWaiting: inState(InventoryState.WAITING),
    imagesAffected: BigInt(await countAffected(reader, scope)),
  };
}

async function findingNumbers(reader: Reader, scope: OverviewScope) {
  const counts = await countsBySeverity(reader, scope);
  const behind = await vulnerabilitiesBySeverity(reader, { ...scope, statuses: OPEN_STATUSES });
  const { now, intervals } = scope;
  const oldest = await readFindings(
    reader,
    {
      ...{ intervals, now, statuses: OPEN_STATUSES, severities: OLDEST.severities, tagged: true },
      ...(scope.inUse && { inUse: true }),
    },
    OLDEST,
  );
  return {
    severities: counts
      .filter(({ open }) => open > 0)
      .map(({ severity, open, fixable }) =>
        create(SeverityCountSchema, {
          severity,
          open: BigInt(open),
          fixable: BigInt(fixable),
          vulnerabilities: BigInt(behind.get(severity) ?? 0),
        }),
      ),
    suppressed: BigInt(counts.reduce((sum, { suppressed }) => sum + suppressed, 0)),
    oldest: await findingsOf(reader, oldest),
  };
}

async function history(reader: Reader, scope: OverviewScope, days: number) {
  const open = { ...scope, statuses: OPEN_STATUSES };
  const last = Math.floor(scope.now / DAY_MS);
  const first = last - days + 1;
  const found = await findingsByDay(reader, open, "first_seen");
  const resolved = await findingsByDay(reader, open, "resolved");
  const median = await medianToFix(reader, open, first * DAY_MS);
  return {
    days: daysBetween(first, last, found, resolved),
    daysToFix: median === undefined ? 0 : median / DAY_MS,
  };
}

/** Findings open at the end of each day: those found until then, without those resolved until then. */
export function daysBetween(
  first: number,
  last: number,
  found: readonly DayChange[],
  resolved: readonly DayChange[],
): ExposureDay[] {
  const open = new Map<number, number>();
  const add = (changes: readonly DayChange[], sign: number) => {
    for (const { severity, count } of changes) {
      open.set(severity, (open.get(severity) ?? 0) + sign * count);
    }
    return changes.reduce((sum, { count }) => sum + count, 0);
  };
  const before = (changes: readonly DayChange[]) => changes.filter(({ day }) => day < first);
  add(before(found), 1);
  add(before(resolved), -1);
  const on = (changes: readonly DayChange[], day: number) =>
    changes.filter((one) => one.day === day);
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const day = first + at;
    const foundNow = add(on(found, day), 1);
    const resolvedNow = add(on(resolved, day), -1);
    return create(ExposureDaySchema, {
      date: new Date(day * DAY_MS).toISOString().slice(0, 10),
      severities: [...open]
        .filter(([, count]) => count > 0)
        .sort(([a], [b]) => a - b)
        .map(([severity, count]) => create(SeverityCountSchema, { severity, open: BigInt(count) })),
      found: BigInt(foundNow),
      resolved: BigInt(resolvedNow),
    });
  });
}
