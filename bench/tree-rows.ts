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

function folderAt(at: number, size: number, parents = 0): Folder {
  return { uid: `${ORGANIZATION}/${String(at).repeat(16)}`, size, parents };
}

/** Folders on both sides of every size that a plan may depend on; the last has most of the rows. */
export const FOLDERS: readonly Folder[] = [
  folderAt(1, 10),
  folderAt(2, 500),
  folderAt(3, 501),
  folderAt(4, 9_999),
  folderAt(5, 10_001),
  folderAt(6, 0.1, 100),
  folderAt(7, 0.87, 2_000),
];

/** The share of groups that are children of the organization itself. */
const DIRECT_SHARE = 0.01;

/** The number of groups in a folder of a tree of so many. */
export function rowsIn({ size }: Folder, count: number): number {
  return size < 1 ? Math.floor(size * count) : size;
}

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
  for (const [at, folder] of FOLDERS.entries()) {
    const { uid, parents } = folder;
    const rank = FOLDERS.length - at;
    uids.push({ uid, rank });
    const rows = rowsIn(folder, count);
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
