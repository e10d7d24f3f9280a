import { isSelfOrBelow, parentOf } from "@wharf/contract";
import type { Reader } from "../db/connection.ts";
import { MAX_PROBLEMS, type StoreProblem } from "./problem.ts";

const PAGE_SIZE = 10_000;

type CountRow = readonly [uid: string, kind: string, children: number, descendants: number];

/** A node on the way from the root to the current row, with the descendants found so far. */
interface OpenNode {
  readonly uid: string;
  readonly counted: number;
  found: number;
}

/**
 * Compares the descendants of each node with the children of all nodes at and below it. In the order of
 * uids, everything below a node follows it, so only the path to the current node is in memory.
 */
export async function checkDescendants(reader: Reader): Promise<StoreProblem[]> {
  const paths = new Map<string, OpenNode[]>();
  const problems: StoreProblem[] = [];
  const report = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ kind: "data", name: "counts", problem });
  };
  const close = (kind: string, path: OpenNode[]) => {
    const { uid, counted, found } = path.pop() as OpenNode;
    const parent = path.at(-1);
    if (parent !== undefined) parent.found += found;
    if (found !== counted)
      report(`${found} ${kind} below ${uid || "the root"}, but ${counted} counted`);
  };
  for await (const [uid, kind, children, descendants] of countRows(reader)) {
    const path = paths.get(kind) ?? [];
    paths.set(kind, path);
    while (path.length > 0 && !isWithin(uid, path.at(-1)?.uid ?? "")) close(kind, path);
    const parent = uid === "" ? undefined : parentOf(uid);
    if (descendants !== 0 && path.at(-1)?.uid !== parent)
      report(`${kind} below ${uid} are not counted in ${parent || "the root"}`);
    path.push({ uid, counted: descendants, found: children });
  }
  for (const [kind, path] of paths) while (path.length > 0) close(kind, path);
  return problems;
}

function isWithin(uid: string, node: string): boolean {
  return node === "" || isSelfOrBelow(uid, node);
}

async function* countRows(reader: Reader): AsyncIterable<CountRow> {
  let after: readonly [string, string] = ["", ""];
  for (;;) {
    const rows = await reader.arrays<CountRow>(
      `SELECT uid, kind, children, descendants FROM counts
       WHERE (uid, kind) > (?, ?) ORDER BY uid, kind LIMIT ${PAGE_SIZE}`,
      ...after,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [last[0], last[1]];
  }
}
