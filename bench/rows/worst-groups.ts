import { someUids } from "../data-set.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row } from "../row.ts";
import { FOLDERS, type Folder, rowsIn } from "../tree-rows.ts";
import { groupPath } from "../verify.ts";
import type { Wharf } from "../wharf.ts";
import { type List, type Lists, worstListRow } from "../worst-list.ts";

export const GROUPS = "/iam/v2beta1/groups";

const ORDERS: readonly string[] = [
  ...["uid", "name", "create_time", "update_time"].flatMap((key) => [key, `${key} desc`]),
  "update_time desc, name",
];

/** Folders that have at most this many rows are small. */
const SMALL = 10_000;

/** Lists by their queries, in every order. */
export function inEveryOrder(
  path: string,
  queries: Iterable<string>,
  orders = ORDERS,
): Map<string, List> {
  const lists = new Map<string, List>();
  for (const query of queries) {
    for (const order of orders) {
      const name = `${query}&orderBy=${order}`.replace(/^&/, "");
      lists.set(name, { path: `${path}?${query}&orderBy=${encodeURIComponent(order)}` });
    }
  }
  return lists;
}

function within(uid: string): string[] {
  return [`uidp.childrenOf=${uid}`, `uidp.descendantsOf=${uid}`];
}

/** Scopes, filters and skips; small folders have a row of their own. */
function* queriesOf(count: number): Iterable<string> {
  const half = `skip=${Math.floor(count / 2)}`;
  const [rare, common] = ["namePrefix=team-7", "namePrefix=team-1"];
  for (const filter of ["", half, "name=team-1-00000000", rare, common]) yield filter;
  for (const query of within(ORGANIZATION)) yield* [query, `${query}&${half}`];
  for (const folder of FOLDERS.filter((one) => !isSmall(one))) {
    const [children = "", descendants = ""] = within(folder.uid);
    yield* [children, descendants, `${descendants}&${rare}`];
    yield `${descendants}&skip=${rowsIn(folder, count) >> 1}`;
  }
}

function isSmall({ size }: Folder): boolean {
  return size >= 1 && size <= SMALL;
}

/** Changes the description of a group. */
export function changing(server: Wharf, uid: string): () => Promise<string> {
  let changes = 0;
  return () => {
    const body = JSON.stringify({ description: `Changed for the ${++changes}th time` });
    return server.rest(groupPath(uid), body, { method: "PATCH" });
  };
}

function listsOf(server: Wharf, data: string, queries: Iterable<string>): Lists {
  const [uid = ""] = someUids(data, 1);
  return {
    lists: inEveryOrder(GROUPS, queries),
    whole: { path: `${GROUPS}?orderBy=uid` },
    change: changing(server, uid),
  };
}

/** Lists of groups in a tree whose orders are sorted against it. */
export function worstGroupRows({ sizes }: Options): Row[] {
  const count = sizes.large;
  const small = FOLDERS.filter(isSmall).flatMap(({ uid }) => within(uid));
  return [
    worstListRow({
      work: `the worst list of a folder of up to ${counted(SMALL)} groups among ${counted(count)}, any order`,
      ...{ atMost: 15, data: "tree", count },
      listsOf: (server, data) => listsOf(server, data, small),
    }),
    worstListRow({
      work: `the worst list of orders × scopes × filters × skips among ${counted(count)} groups`,
      ...{ atMost: 150, data: "tree", count },
      listsOf: (server, data) => listsOf(server, data, queriesOf(count)),
    }),
  ];
}
