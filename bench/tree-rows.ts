import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { GroupSchema, OrgStatus } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import { ORGANIZATION } from "./organization.ts";

/** A folder of the tree. */
export interface Folder {
  readonly uid: string;
  /** Its share of all groups, or their number. */
  readonly size: number;
  /** The number of groups in which its groups are; 0 where they are its children. */
  readonly parents: number;
}

function folder(at: number, size: number, parents = 0): Folder {
  return { uid: `${ORGANIZATION}/${String(at).repeat(16)}`, size, parents };
}

/** Folders on both sides of every size that a plan may depend on; the last has most of the rows. */
export const FOLDERS: readonly Folder[] = [
  folder(1, 10),
  folder(2, 500),
  folder(3, 501),
  folder(4, 9_999),
  folder(5, 10_001),
  folder(6, 0.1, 100),
  folder(7, 0.85, 2_000),
];

/** The share of groups that are children of the organization itself. */
const DIRECT_SHARE = 0.01;

/**
 * Groups in folders of many sizes. The rows of a folder are together in every order, and those of the
 * smaller folders are last: what filters the order of the organization reads most of it.
 */
export function* treeRows(count: number): Iterable<ResourceRow> {
  const uids: { uid: string; rank: number }[] = [];
  const add = (parent: string, number: number, rank: number) => {
    uids.push({ uid: `${parent}/${hex(number * 2_654_435_761)}${hex(number)}`, rank });
  };
  for (let at = 0; at < count * DIRECT_SHARE; at++) add(ORGANIZATION, at, 9 - (at % 9));
  for (const [at, { uid, size, parents }] of FOLDERS.entries()) {
    const rank = FOLDERS.length - at;
    uids.push({ uid, rank });
    const rows = Math.min(size < 1 ? Math.floor(size * count) : size, count / 2 + size);
    for (let parent = 0; parent < parents; parent++) add(uid, parent, rank);
    const inside = uids.slice(uids.length - parents);
    for (let row = parents; row < rows; row++) {
      add(parents === 0 ? uid : (inside[row % parents]?.uid ?? uid), row, rank);
    }
  }
  const { groups } = RESOURCES;
  for (const [at, { uid, rank }] of uids.sort((a, b) => (a.uid < b.uid ? -1 : 1)).entries()) {
    const time = timestampFromMs(Date.UTC(2026, rank, 1) + ((at * 7_919) % 2_000_000_000));
    const name = `team-${rank}-${hex(at * 2_654_435_761)}`;
    const description = `Builds and ships what ${name} owns`;
    const times = { createTime: time, updateTime: time };
    yield groups.toRow(
      create(GroupSchema, { uid, name, description, status: OrgStatus.READY, ...times }),
    );
  }
}

function hex(number: number): string {
  return (number >>> 0).toString(16).padStart(8, "0");
}
