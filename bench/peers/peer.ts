/** Programs that do the same work: collections of teams in SQLite, over REST. */
import { setTimeout as sleep } from "node:timers/promises";
import { teamNamed } from "../organization.ts";

/** A running peer with teams. */
export interface Peer extends AsyncDisposable {
  readonly version: string;
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  /** Primary keys of its teams. */
  readonly ids: readonly string[];
  /** The path of new teams; that of one ends with its key. */
  readonly teams: string;
  /** The query of a page of teams by name, with their total. */
  readonly listQuery: string;
  /** The team of a response. */
  teamOf(response: unknown): Record<string, unknown>;
  /** The number of teams in a page, and in all. */
  pageOf(response: unknown): readonly [rows: number, total: number];
  /** A request to its API; rejects unless it succeeds. */
  request(path: string, body?: object): Promise<string>;
}

export function teamAt(number: number): { name: string; description: string } {
  const word = (Math.imul(number, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  return teamNamed(word);
}

/** A request to a peer; rejects unless it succeeds. */
export async function requestPeer(
  { port, token }: Pick<Peer, "port" | "token">,
  path: string,
  body?: object,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

const START_MS = 180_000;

/** Waits until a program that starts answers a path. */
export async function answering(port: number, path: string): Promise<void> {
  for (const until = performance.now() + START_MS; ; await sleep(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (performance.now() > until) throw new Error(`no answer of ${path} after the start`);
  }
}
