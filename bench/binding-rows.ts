import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  builtinRole,
  GroupSchema,
  IdentitySchema,
  OrgStatus,
  RoleBindingSchema,
} from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import type { ResourceTable } from "@wharf/server/store/resources/resource-table.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import { ORGANIZATION, teamNamed } from "./organization.ts";

/** Groups in each folder of the organization, itself included. */
const PER_FOLDER = 50;

/** Role bindings of a caller at most. */
const MAX_BINDINGS = 10_000;

const FIRST_MS = Date.UTC(2026, 0, 1);

/** Callers of the data set. */
export const CALLERS = {
  /** Bound at the organization. */
  whole: `${ORGANIZATION}/${"a".repeat(16)}`,
  /** Bound at every other folder: sees half of all groups. */
  folders: `${ORGANIZATION}/${"b".repeat(16)}`,
  /** Bound at groups without groups below them, each in a folder of its own where there are enough. */
  leaves: `${ORGANIZATION}/${"c".repeat(16)}`,
} as const;

/** Further callers, bound at the organization. */
export const OTHER_CALLERS: readonly string[] = Array.from(
  { length: 20 },
  (_, at) => `${ORGANIZATION}/${String(at).padStart(16, "d")}`,
);

/** A row, and its table. */
export type TableRow = readonly [table: ResourceTable, row: ResourceRow];

/**
 * A tree of folders with groups in them, and callers with up to ten thousand role bindings that are scattered over it.
 * Uids are hashes of numbers, so that neighbors in one order are far apart in all others.
 */
export function* bindingRows(count: number): Iterable<TableRow> {
  const { groups, identities, roleBindings } = RESOURCES;
  let bound = 0;
  const bind = (caller: string, group: string): TableRow => {
    const uid = `${group}/${segment(bound++)}`;
    const roleUid = builtinRole("viewer")?.uid ?? "";
    const binding = create(RoleBindingSchema, { uid, identityUid: caller, roleUid });
    return [roleBindings.table, roleBindings.toRow(binding)];
  };
  const others = OTHER_CALLERS.map((uid, at) => [`other-${at}`, uid] as const);
  for (const [name, uid] of [...Object.entries(CALLERS), ...others]) {
    const claims = { issuer: "https://issuer.example.com", subject: name };
    const relationship = {
      case: "claimMatch" as const,
      value: {
        iss: { case: "issuer" as const, value: claims.issuer },
        sub: { case: "subject" as const, value: claims.subject },
      },
    };
    const identity = create(IdentitySchema, { uid, name, relationship });
    yield [identities.table, identities.toRow(identity)];
  }
  for (const caller of [CALLERS.whole, ...OTHER_CALLERS]) yield bind(caller, ORGANIZATION);
  const folders = Math.ceil(count / PER_FOLDER);
  for (let folder = 0; folder < folders; folder++) {
    const uid = `${ORGANIZATION}/${segment(folder)}`;
    yield [groups.table, groups.toRow(groupAt(uid, folder))];
    const isBound = folder % 2 === 0 && folder / 2 < MAX_BINDINGS;
    if (isBound) yield bind(CALLERS.folders, uid);
    for (let at = 1; at < PER_FOLDER && folder * PER_FOLDER + at < count; at++) {
      const number = folders + folder * PER_FOLDER + at;
      const child = `${uid}/${segment(number)}`;
      yield [groups.table, groups.toRow(groupAt(child, number))];
      if (at === 1 && isBound) yield bind(CALLERS.leaves, child);
    }
  }
}

function groupAt(uid: string, number: number) {
  const word = mixed(number ^ 0x5bd1e995)
    .toString(16)
    .padStart(8, "0");
  const time = timestampFromMs(FIRST_MS + mixed(number));
  return create(GroupSchema, {
    uid,
    ...teamNamed(word),
    status: OrgStatus.READY,
    createTime: time,
    updateTime: time,
  });
}

/** A segment of a uid: different numbers have different ones. */
function segment(number: number): string {
  const low = mixed(number + 0x9e3779b9);
  return `${mixed(number).toString(16).padStart(8, "0")}${low.toString(16).padStart(8, "0")}`;
}

/** A bijection of 32-bit numbers that looks random (the finalizer of MurmurHash3). */
function mixed(number: number): number {
  let hash = number | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
