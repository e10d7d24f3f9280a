import { useQueries } from "@tanstack/react-query";
import type { JsonMethod } from "@wharf/client/json";
import { pathOf } from "../app/location.ts";
import { api, client, serviceOf } from "./client.ts";

/** Names that one request reads. */
const NAMES_PER_REQUEST = 200;

/** The end of a uid, where the name may not be read. */
export function shortUid(uid: string): string {
  return `…${uid.slice(-6)}`;
}

/** The names of groups and of those above them. All that a screen needs at once are one request. */
export function useGroupNames(uids: readonly string[]): {
  /** The name, or the end of the uid. */
  readonly nameOf: (uid: string) => string;
  /** The names from the organization on. */
  readonly pathTo: (uid: string) => string;
  /** Whether it does not exist, or may not be read. */
  readonly isMissing: (uid: string) => boolean;
} {
  const all = [...new Set(uids.flatMap(pathOf))].filter(Boolean);
  const service = serviceOf(api.groups.list as JsonMethod<never, unknown>);
  const results = useQueries({
    queries: all.map((uid) => ({
      queryKey: [service, "name", uid],
      queryFn: () => readName(uid),
    })),
  });
  const names = new Map(all.map((uid, at) => [uid, results[at]?.data]));
  const nameOf = (uid: string) => names.get(uid) || shortUid(uid);
  return {
    nameOf,
    pathTo: (uid) => pathOf(uid).map(nameOf).join(" / "),
    isMissing: (uid) => names.get(uid) === "",
  };
}

interface Waiting {
  readonly uid: string;
  readonly resolve: (name: string) => void;
  readonly reject: (error: unknown) => void;
}

let waiting: Waiting[] = [];

/** The name of a group; empty where it may not be read. */
function readName(uid: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setTimeout(readWaiting);
    waiting.push({ uid, resolve, reject });
  });
}

function readWaiting(): void {
  const all = waiting;
  waiting = [];
  for (let at = 0; at < all.length; at += NAMES_PER_REQUEST) {
    void readSome(all.slice(at, at + NAMES_PER_REQUEST));
  }
}

async function readSome(some: readonly Waiting[]): Promise<void> {
  try {
    const ids = [...new Set(some.map(({ uid }) => uid))];
    const { groups = [] } = await client.call(api.groups.list, {
      uidp: { ids },
      pageSize: ids.length,
    });
    const names = new Map(groups.map(({ uid, name = "" }) => [uid, name]));
    for (const { uid, resolve } of some) resolve(names.get(uid) ?? "");
  } catch (error) {
    for (const { reject } of some) reject(error);
  }
}
