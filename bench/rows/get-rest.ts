import { copyOf, dataSet, someUids } from "../data-set.ts";
import { inTurn } from "../load/in-turn.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { Served } from "../reference/http.ts";
import { type Bench, counted, type Measured, type Row, serve } from "../row.ts";
import { groupPath, mustEqual, plainAnswer } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 32;

/** The groups of the first row: many more than any cache of the server has entries for. */
const MANY = 60_000;
const FEW = 1_000;

/** The interval between two writes beside the reads: twenty per second. */
const WRITE_MS = 50;

/** Responses that are compared with the data set before the measurement. */
const VERIFIED = 1_000;

const REFERENCE = "bare node:http answering the same bytes";

/** Changes one group after the other while something goes on, and counts the changes. */
async function withWrites<Result>(
  server: Wharf,
  uids: readonly string[],
  work: () => Promise<Result>,
): Promise<{ result: Result; writes: number; seconds: number }> {
  const begun = performance.now();
  const writes: Promise<unknown>[] = [];
  const writing = setInterval(() => {
    const body = JSON.stringify({ description: `Changed for the ${writes.length}th time` });
    const uid = uids[writes.length % uids.length] as string;
    writes.push(server.rest(groupPath(uid), body, { method: "PATCH" }));
  }, WRITE_MS);
  const result = await work().finally(() => clearInterval(writing));
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(writes);
  return { result, writes: writes.length, seconds };
}

async function measureGets(bench: Bench, count: number, isWritten: boolean): Promise<Measured> {
  const { options, cores, http } = bench;
  using folder = copyOf(await dataSet(options.sizes.medium));
  const uids = someUids(folder.path, Math.min(count, options.sizes.medium));
  await using server = await serve(bench, folder.path);
  const answers = await Promise.all(
    uids.slice(0, VERIFIED).map((uid) => server.rest(groupPath(uid))),
  );
  for (const [i, answer] of answers.entries()) mustEqual(JSON.parse(answer).uid, uids[i]);
  const [body = ""] = answers;
  mustEqual(new Set(answers.map((answer) => answer.length)).size, 1);

  await using reference = new Program<Served, { port: number }>("reference/http.ts", cores.serving);
  const { port } = await reference.ask({ body });
  mustEqual(await plainAnswer(port), body);

  const targets = uids.map((uid) => ({ path: groupPath(uid) }));
  const job = { token: server.token, method: "GET", targets, connections: CONNECTIONS } as const;
  const bare: Side = { pid: reference.pid, load: inTurn(http, { ...job, port }) };
  const get = inTurn(http, { ...job, port: server.port });
  let written = 0;
  let seconds = 0;
  const beside = async (duration: number) => {
    const done = await withWrites(server, uids, () => get(duration));
    written += done.writes;
    seconds += done.seconds;
    return done.result;
  };
  const ours: Side = { pid: server.pid, load: isWritten ? beside : get };
  const measured = await measureLoads(bench, "per s", perSecond, bare, ours);
  const notes = [`${counted(uids.length)} uids in turn`];
  if (isWritten) notes.push(`${(written / seconds).toFixed(0)} of them changed each second`);
  return { ...measured, notes: [...notes, ...measured.notes] };
}

/** Reads of single groups: of more than are cached, with writes; and of few, again and again. */
export function getRestRows({ quick }: Options): Row[] {
  const many = quick ? 4_000 : MANY;
  return [
    {
      work: `GET group by uid over ${counted(many)} uids, REST, with 20 writes per second`,
      reference: REFERENCE,
      target: { atLeast: 0.35 },
      measure: (bench) => measureGets(bench, many, true),
    },
    {
      work: `GET group by uid, the same ${counted(FEW)} uids, REST`,
      reference: REFERENCE,
      target: { atLeast: 0.6 },
      measure: (bench) => measureGets(bench, FEW, false),
    },
  ];
}
