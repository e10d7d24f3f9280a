import { copyOf, dataSet, someUids } from "../../data-set.ts";
import type { HttpJob } from "../../load/http.ts";
import { measureLoads, perSecond, type Side } from "../../measure.ts";
import type { Options } from "../../options.ts";
import { ORGANIZATION } from "../../organization.ts";
import { Directus } from "../../peers/directus.ts";
import { type Peer, teamAt } from "../../peers/peer.ts";
import { startPocketBase } from "../../peers/pocketbase.ts";
import { type Bench, counted, NotMeasured, type Row, serve, type Target } from "../../row.ts";
import { groupPath, listPath, mustEqual, PAGE_SIZE } from "../../verify.ts";

const CONNECTIONS = 32;

/** Rows that are requested alternately. */
const DISTINCT = 1_000;

type Request = Pick<HttpJob, "method" | "targets">;

/** The same work on both sides. */
interface Work {
  readonly name: string;
  ours(uids: readonly string[]): Request;
  theirs(peer: Peer): Request;
  /** Checks a response of the peer. */
  verify(peer: Peer, count: number): Promise<void>;
}

function gets(paths: readonly string[]): Request {
  return { method: "GET", targets: paths.map((path) => ({ path })) };
}

const GET: Work = {
  name: "GET one",
  ours: (uids) => gets(uids.map(groupPath)),
  theirs: ({ ids, teams }) => gets(ids.slice(0, DISTINCT).map((id) => `${teams}/${id}`)),
  async verify(peer) {
    const team = peer.teamOf(JSON.parse(await peer.request(`${peer.teams}/${peer.ids[7]}`)));
    const { id, name, description } = team;
    mustEqual({ id, name, description }, { id: peer.ids[7], ...teamAt(7) });
  },
};

function list({ sizes }: Options): Work {
  return {
    name: `list ${PAGE_SIZE} of ${counted(sizes.medium)} with the total`,
    ours: () => gets([listPath()]),
    theirs: ({ teams, listQuery }) => gets([`${teams}?${listQuery}`]),
    async verify(peer, count) {
      const page = await peer.request(`${peer.teams}?${peer.listQuery}`);
      mustEqual(peer.pageOf(JSON.parse(page)), [PAGE_SIZE, count]);
    },
  };
}

const CREATE: Work = {
  name: "create",
  ours: () => created(groupPath(ORGANIZATION)),
  theirs: ({ teams }) => created(teams),
  async verify(peer) {
    const made = peer.teamOf(JSON.parse(await peer.request(peer.teams, teamAt(1))));
    const read = peer.teamOf(JSON.parse(await peer.request(`${peer.teams}/${made.id}`)));
    mustEqual(read, made);
  },
};

function created(path: string): Request {
  const bodies = Array.from({ length: DISTINCT }, (_, at) => JSON.stringify(teamAt(at)));
  return { method: "POST", targets: bodies.map((body) => ({ path, body })) };
}

/** A program, and the parameters of its measurement. */
interface Program {
  readonly name: string;
  readonly getTarget?: Target;
  /** A note on the durability of its creates. */
  readonly durability: string;
  start(core: number | undefined, count: number): Promise<Peer>;
}

const PROGRAMS: readonly Program[] = [
  {
    name: "PocketBase",
    getTarget: { atLeast: 10 },
    durability: "ours flushes each commit to the disk, PocketBase does not (synchronous = NORMAL)",
    start: startPocketBase,
  },
  {
    name: "Directus",
    durability: "both flush each commit to the disk, and both keep a log of changes",
    start: (core, count) => Directus.start(core, count),
  },
];

async function measure(bench: Bench, program: Program, work: Work) {
  const { options, cores, http } = bench;
  if (!options.peers) throw new NotMeasured("measured with --peers only, which downloads it");
  await using peer = await program.start(cores.serving, options.sizes.medium);
  await work.verify(peer, options.sizes.medium);
  using folder = copyOf(await dataSet(options.sizes.medium));
  await using server = await serve(bench, folder.path);
  const side = (pid: number, port: number, token: string, request: Request): Side => ({
    pid,
    load: (seconds) => http.ask({ ...request, port, token, connections: CONNECTIONS, seconds }),
  });
  const theirs = side(peer.pid, peer.port, peer.token, work.theirs(peer));
  const uids = someUids(folder.path, DISTINCT);
  const ours = side(server.pid, server.port, server.token, work.ours(uids));
  const measured = await measureLoads(bench, "per s", perSecond, theirs, ours);
  const notes = [`${program.name} ${peer.version} on SQLite`];
  if (work === CREATE) notes.push(program.durability);
  return { ...measured, notes: [...notes, ...measured.notes] };
}

/** The same work by other programs with a database and a REST API. */
export function databaseRows(options: Options): Row[] {
  return PROGRAMS.flatMap((program) =>
    [GET, list(options), CREATE].map((work) => ({
      work: `${work.name}, beside ${program.name}`,
      reference: program.name,
      ...(work === GET && program.getTarget ? { target: program.getTarget } : {}),
      measure: (bench: Bench) => measure(bench, program, work),
    })),
  );
}
