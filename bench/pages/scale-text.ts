/** The sentences of docs/scale.md. */

const HEAD = `# Scale

<!-- Made by node bench/pages/main.ts of the files in bench/results. Do not edit. -->

What an operation costs, what one machine holds, where it ends, and what the next step is. All figures are measured
(\`npm run bench\`, [performance](performance.md)).`;

const METHOD = `Each operation is measured on one server process: saturated for its CPU time, then with requests that arrive at random
at a share of that rate for its response times. A response time begins when the request is due.`;

const SIZES = `Rows are on disk, with their indexes. What lists cost with more rows is measured, too (see
[lists at a million rows](performance.md#lists-at-a-million-rows)).`;

const ENDS = `- **One process on SQLite** ends when its event loop is busy. Next step: \`--workers\`, which needs nothing but cores.
- **Workers on SQLite** write in turn, so more of them do not write more. A machine also ends with its disk, and it is
  one machine: while it restarts, nobody is served. Next step: PostgreSQL and replicas.
- **Replicas on PostgreSQL** begin lower, since each request is a round trip, and end with the cores of PostgreSQL and
  the disk of its write-ahead log. Correct access needs the newest role bindings, so reads do not go to read replicas of
  the database.

[Performance](performance.md#postgresql-replicas-and-workers) has the rows of workers and replicas. Nothing here is
extrapolated: more cores, replicas and rows than these rows have were not measured.`;

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

None of these steps is automated, and 2 to 4 have not been tried.`;

export const SCALE_TEXT = {
  head: HEAD,
  method: METHOD,
  sizes: SIZES,
  ends: ENDS,
  next: NEXT,
} as const;
