/** The sentences of docs/scale.md. */

interface Limits {
  readonly oneProcess: string;
  readonly workers: string;
  readonly workersCreate: string;
  readonly oneReplica: string;
  readonly replicas: string;
  readonly replicasCreate: string;
}

const HEAD = `# Scale

<!-- Made by node bench/pages/main.ts of the files in bench/results. Do not edit. -->

What one machine holds, where it ends, and what the next step is. Costs are measured (\`npm run bench\`,
[performance](performance.md)); what larger deployments do is predicted from them by a simulation (\`bench/simulation\`).`;

const METHOD = `Each operation is measured on one server process: saturated for its CPU time, then with requests that arrive at random
at 5 %, 50 % and 80 % of that rate for its response times. The simulation is a network of queues: an event loop for each
process, the cores of PostgreSQL, commits that concurrent writes share, and, for workers on SQLite, the turn to write.`;

const MODEL = `The simulation knows only costs and the response times of an almost idle server. It predicts the response times under
load, which were measured, too.`;

const SIZES = `Rows are on disk, with indexes for every order that lists have; totals and pages cost the same at any size
(see [flat worst cases](performance.md#flat-worst-cases)). Disk is the limit of a machine, not the number of rows.`;

function ends(limits: Limits): string {
  return `- **One process on SQLite** ends at about ${limits.oneProcess} requests per second: its event loop is busy. Next step: \`--workers\`,
  which needs nothing but cores.
- **Workers on SQLite** (8) end at about ${limits.workers} requests per second of the usual mix, and at ${limits.workersCreate} creates per
  second: workers write in turn, so more of them do not write more. A machine also ends with its disk, and it is one
  machine: while it restarts, nobody is served. Next step: PostgreSQL and replicas.
- **Replicas on PostgreSQL** begin lower (${limits.oneReplica} requests per second with one process, since each request is a round trip) and
  end with the cores of PostgreSQL: about ${limits.replicas} requests per second with 16 replicas and 32 cores,
  ${limits.replicasCreate} creates per second if the disk of its write-ahead log keeps up. Correct access needs the newest role
  bindings, so reads do not go to read replicas of the database.`;
}

const NEXT = `## The next step

1. **More cores for PostgreSQL.** Nothing changes for the server. Managed PostgreSQL ends at some hundred cores.
2. **Partitioned PostgreSQL.** Every row except accounts, sessions and built-in roles belongs to one organization, and its
   key begins with the uid of that organization. Tables that grow (groups, role bindings, tags, advisories, audit log,
   events) can be partitioned by it without changing a query: PostgreSQL reads one partition. This makes
   vacuum, backups and indexes smaller; it adds no cores.
3. **Several installations.** Organizations do not share data, so they can be divided between installations, each with a
   PostgreSQL of its own, behind a router that chooses by the organization in the path. Throughput grows with
   installations; lists across organizations end at the border of an installation.
4. **Regions.** A revocation takes effect on the next request everywhere because each request compares the access version of
   the database. Across regions this costs a round trip between them for each request. Keep an organization in one
   region, and divide organizations between regions as between installations. Registry tokens are verified by
   registries with public keys, without a request to the server, so that pulls go on anywhere.

None of these steps is automated, and 2 to 4 have not been tried at these sizes: the simulation covers
processes, replicas and the cores of one PostgreSQL.

## What the model leaves out

Cold caches after a start; requests that queue for a costly read (their number is bounded for each caller); disks whose
flushes slow down under load; noisy neighbors; PostgreSQL's locks on hot rows. Workers and replicas get requests
at random; real clients keep connections, which distributes load less evenly.`;

export const SCALE_TEXT = {
  head: HEAD,
  method: METHOD,
  model: MODEL,
  sizes: SIZES,
  ends,
  next: NEXT,
} as const;
