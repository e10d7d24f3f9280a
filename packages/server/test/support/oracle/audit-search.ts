/** Entries of the audit log, random requests for them, and the rule of filters as a plain scan. */
import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuditFilter, AuditFilterSchema, type AuditOutcome } from "@wharf/contract";
import fc from "fast-check";
import type { AuditEntry } from "../../../src/store/tables/audit/audit-and-events.ts";
import type { StoredAuditEntry } from "../../../src/store/tables/audit/entries.ts";

export const ROOTS = ["a".repeat(40), "b".repeat(40)];
export const hex = (at: number) => at.toString(16).padStart(16, "0");
/** Deeper than any group: callers can name it, and are denied. */
const DEEP = `${ROOTS[0]}/${Array.from({ length: 230 }, () => randomBytes(8).toString("hex")).join("/")}`;
export const GROUPS = [
  ...ROOTS.flatMap((root) => [root, `${root}/${hex(1)}`, `${root}/${hex(1)}/${hex(2)}`]),
  DEEP,
];
/** Within no group. */
export const NO_UID = `${ROOTS[0]}${hex(1)}`;
const RESOURCES = [...GROUPS, NO_UID];
const METHODS = ["s.Groups/Create", "s.Groups/Delete", "s.Roles/Delete", "login", "a_b%c[d]?\\e"];

/** The entry at a position: values repeat with different periods, so that filters cut across. */
export function entryAt(at: number): AuditEntry {
  return {
    // About in order, as requests that begin earlier may end later.
    time: 1_000_000 + at * 10 - (at % 7) * 25,
    actor: `${at % 5}`.repeat(40),
    method: METHODS[at % METHODS.length] ?? "",
    resource: at % 11 === 0 ? "" : (RESOURCES[at % RESOURCES.length] ?? ""),
    requestId: `r${at}`,
    remoteAddress: at % 3 === 0 ? "192.0.2.1" : "192.0.2.2",
    userAgent: "u",
    code: [0, 0, 7, 5, 16][at % 5] ?? 0,
    detail: "",
    session: at % 4 === 0 ? "s" : "",
    via: at % 2 === 0 ? "rest" : "grpc",
  };
}

const isWithin = (uid: string, scope: string) => uid === scope || uid.startsWith(`${scope}/`);

/** The rule of patterns, said plainly. */
function matchesMethod(pattern: string, method: string): boolean {
  const parts = pattern.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^(.*/)?${parts.join(".*")}$`).test(method);
}

/** The rule of filters, said plainly. */
export function matches(
  entry: StoredAuditEntry,
  filter: AuditFilter,
  scopes: readonly string[] | undefined,
) {
  const outcome = { 0: "ok", 7: "denied", 16: "denied" }[entry.code] ?? "failed";
  const wanted = { 1: "ok", 2: "denied", 3: "failed" }[filter.outcome as number];
  const since = filter.since === undefined ? 0 : Number(filter.since.seconds) * 1000;
  const until = filter.until === undefined ? 1e15 : Number(filter.until.seconds) * 1000;
  return (
    (scopes === undefined || scopes.some((scope) => isWithin(entry.resource, scope))) &&
    (filter.resource === "" || isWithin(entry.resource, filter.resource)) &&
    (filter.actor === "" || entry.actor === filter.actor) &&
    (filter.method === "" || matchesMethod(filter.method, entry.method)) &&
    (wanted === undefined || wanted === outcome) &&
    (filter.sourceAddress === "" || entry.remoteAddress === filter.sourceAddress) &&
    (filter.requestId === "" || entry.requestId === filter.requestId) &&
    (filter.session === "" || entry.session === filter.session) &&
    (filter.via === "" || entry.via === filter.via) &&
    entry.time >= since &&
    entry.time < until
  );
}

const second = fc.integer({ min: 990, max: 1_040 }).map((at) => timestampFromMs(at * 1000));
export const PATTERNS = [
  ...["*", "Delete", "*Delete", "s.Groups/*", "lo*n", "none*", "delete"],
  ...["a_b*", "a?b*", "a%e", "*[d]*", "*\\e", "*d]?*"],
];
const FILTER = fc
  .record(
    {
      resource: fc.constantFrom(...GROUPS, `${GROUPS[0]}/${hex(9)}`),
      actor: fc.constantFrom("0".repeat(40), "3".repeat(40), "9".repeat(40)),
      method: fc.constantFrom(...PATTERNS),
      outcome: fc.constantFrom(...[0, 1, 2, 3].map((one) => one as AuditOutcome)),
      since: second,
      until: second,
      sourceAddress: fc.constantFrom("192.0.2.1", "192.0.2.9"),
      requestId: fc.constantFrom("r3", "r2050", "none"),
      session: fc.constantFrom("s", "t"),
      via: fc.constantFrom("rest", "grpc", "scim"),
    },
    { requiredKeys: [] },
  )
  .map((filter) => create(AuditFilterSchema, filter));

export const REQUEST = fc.record({
  filter: FILTER,
  scopes: fc.option(fc.subarray(GROUPS), { nil: undefined }),
  descending: fc.boolean(),
  limit: fc.integer({ min: 1, max: 300 }),
  skip: fc.constantFrom(0, 0, 1, 700, 2_500),
});
