import { copyOf, dataSet, someUids } from "../../data-set.ts";
import type { HttpJob } from "../../load/http.ts";
import { measureLoads, perSecond, type Side } from "../../measure.ts";
import type { Options } from "../../options.ts";
import { ORGANIZATION } from "../../organization.ts";
import { Directus, teamAt } from "../../peers/directus.ts";
import { type Bench, counted, NotMeasured, type Row, serve } from "../../row.ts";
import { groupPath, listPath, mustEqual, PAGE_SIZE } from "../../verify.ts";

const CONNECTIONS = 32;

/** Rows that are requested alternately. */
const DISTINCT = 1_000;

type Request = Pick<HttpJob, "method" | "targets">;

/** The same work on both sides. */
interface Work {
  readonly name: string;
  readonly notes: readonly string[];
  ours(uids: readonly string[]): Request;
  theirs(directus: Directus): Request;
  /** Checks a response of Directus. */
  verify(directus: Directus, count: number): Promise<void>;
}

const LIST = `/items/teams?limit=${PAGE_SIZE}&sort=name&meta=filter_count`;

const GET: Work = {
  name: "GET one, beside Directus",
  notes: [],
  ours: (uids) => ({ method: "GET", targets: uids.map((uid) => ({ path: groupPath(uid) })) }),
  theirs: ({ ids }) => ({
    method: "GET",
    targets: ids.slice(0, DISTINCT).map((id) => ({ path: `/items/teams/${id}` })),
  }),
  async verify(directus) {
    const { data } = JSON.parse(await directus.request(`/items/teams/${directus.ids[7]}`));
    mustEqual(data, { id: directus.ids[7], ...teamAt(7) });
  },
};

function list({ sizes }: Options): Work {
  return {
    name: `list ${PAGE_SIZE} of ${counted(sizes.medium)} with the total, beside Directus`,
    notes: [],
    ours: () => ({ method: "GET", targets: [{ path: listPath() }] }),
    theirs: () => ({ method: "GET", targets: [{ path: LIST }] }),
    async verify(directus, count) {
      const { data, meta } = JSON.parse(await directus.request(LIST));
      mustEqual([data.length, meta.filter_count], [PAGE_SIZE, count]);
    },
  };
}

const CREATE: Work = {
  name: "durable create, beside Directus",
  notes: [
    "both flush each commit to the disk (ours: write-ahead log, shared by concurrent requests; Directus: rollback journal)",
    "both write what was done to a log of changes in the same transaction or right after",
  ],
  ours: () => created(groupPath(ORGANIZATION)),
  theirs: () => created("/items/teams"),
  async verify(directus) {
    const { data } = JSON.parse(await directus.request("/items/teams", teamAt(1)));
    mustEqual(JSON.parse(await directus.request(`/items/teams/${data.id}`)).data, data);
  },
};

function created(path: string): Request {
  const bodies = Array.from({ length: DISTINCT }, (_, at) => JSON.stringify(teamAt(at)));
  return { method: "POST", targets: bodies.map((body) => ({ path, body })) };
}

async function measure(bench: Bench, work: Work) {
  const { options, cores, http } = bench;
  if (!options.peers) throw new NotMeasured("measured with --peers only: Directus is 700 MB");
  await using directus = await Directus.start(cores.serving, options.sizes.medium);
  await work.verify(directus, options.sizes.medium);
  using folder = copyOf(await dataSet(options.sizes.medium));
  await using server = await serve(bench, folder.path);
  const side = (pid: number, port: number, token: string, request: Request): Side => ({
    pid,
    load: (seconds) => http.ask({ ...request, port, token, connections: CONNECTIONS, seconds }),
  });
  const theirs = side(directus.pid, directus.port, directus.token, work.theirs(directus));
  const uids = someUids(folder.path, DISTINCT);
  const ours = side(server.pid, server.port, server.token, work.ours(uids));
  const measured = await measureLoads(bench, "per s", perSecond, theirs, ours);
  const note = `Directus ${directus.version} on SQLite`;
  return { ...measured, notes: [note, ...work.notes, ...measured.notes] };
}

export function directusRows(options: Options): Row[] {
  return [GET, list(options), CREATE].map((work) => ({
    work: work.name,
    reference: "Directus",
    measure: (bench) => measure(bench, work),
  }));
}
