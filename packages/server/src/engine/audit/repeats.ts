import { clientNetwork } from "../../lib/net/client-network.ts";
import type { AuditEntry } from "../../store/tables/audit/audit-and-events.ts";

/** Counted requests; `first` has what all of them have in common. */
export interface Repeats {
  readonly first: AuditEntry;
  readonly count: number;
  readonly lastTime: number;
}

/** The canonical gRPC code of an entry whose requests had different outcomes. */
const UNKNOWN = 2;

/** Adds repeats of requests in one organization, in whose log they stay. */
export function addRepeats(
  root: string,
  one: Repeats | undefined,
  two: Repeats | undefined,
): Repeats | undefined {
  if (one === undefined || two === undefined) return one ?? two;
  const [a, b] = [one.first, two.first];
  const common = <N extends keyof AuditEntry>(name: N, otherwise: AuditEntry[N]) =>
    a[name] === b[name] ? a[name] : otherwise;
  const first: AuditEntry = {
    ...a,
    actor: common("actor", ""),
    actorName: common("actorName", ""),
    resource: common("resource", root),
    resourceName: common("resourceName", ""),
    resourceType: common("resourceType", ""),
    session: common("session", ""),
    remoteAddress: common("remoteAddress", commonNetwork(a, b)),
    userAgent: common("userAgent", ""),
    code: common("code", UNKNOWN),
  };
  const lastTime = Math.max(one.lastTime, two.lastTime);
  return { first, count: one.count + two.count, lastTime };
}

export function repeatOf(entry: AuditEntry): Repeats {
  return { first: entry, count: 1, lastTime: entry.time };
}

/** The network of both clients, if it is the same. */
function commonNetwork(one: AuditEntry, two: AuditEntry): string {
  const network = clientNetwork(one.remoteAddress);
  return clientNetwork(two.remoteAddress) === network ? network : "";
}

/** The entry of repeats of one kind: of the details of the first, only the reason and the digest apply to all. */
export function entryOf({ first, count, lastTime }: Repeats): AuditEntry {
  const { refused, granted, tokenSha256 } = JSON.parse(first.detail || "{}");
  const times = { firstTime: first.time, lastTime };
  return {
    ...first,
    detail: JSON.stringify({ count, ...times, refused, granted, tokenSha256 }),
  };
}

/** The entry of repeats of several kinds. */
export function otherEntry(
  { first, count, lastTime }: Repeats,
  method: string,
  actorOrganization: string | undefined,
): AuditEntry {
  const times = { firstTime: first.time, lastTime };
  return {
    ...first,
    method,
    requestId: "",
    detail: JSON.stringify({ count, ...times, ...(actorOrganization && { actorOrganization }) }),
  };
}
