import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeAdvisories } from "../advisory-files.ts";
import { cpuMsOf } from "../children.ts";
import { nodeOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { AdvisoryInsertJob } from "../reference/advisory-inserts.ts";
import { counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import { LAUNCHER } from "../wharf.ts";

/** Rounds: each takes a minute or two, and they differ little. */
const ROUNDS = 2;

export function importRow({ sizes, quick }: Options): Row {
  const count = sizes.medium;
  return {
    work: `\`wharf advisories import\` of ${counted(count)} advisories of a distribution`,
    reference: "the same readers, and plain SQLite inserts",
    target: { atLeast: 0.5 },

    async measure(bench) {
      const { cores } = bench;
      using folder = new ScratchData();
      const files = join(folder.path, "advisories");
      writeAdvisories(files, count);
      await using server = await serve(bench, folder.path);
      await using reference = new Program<AdvisoryInsertJob, { rows: number; seconds: number }>(
        "reference/advisory-inserts.ts",
        cores.asking,
      );

      const insert = async () => {
        const file = join(folder.path, "plain.db");
        const { rows, seconds } = await reference.ask({ folder: files, file });
        mustEqual(rows, count);
        for (const part of ["", "-wal", "-shm"]) rmSync(file + part, { force: true });
        return rows / seconds;
      };

      let round = 0;
      let serverMs = 0;
      const importing = async () => {
        const name = JSON.stringify({ name: `organization-${round++}` });
        const { uid } = JSON.parse(await server.rest("/iam/v2beta1/groups", name));
        const [command, args] = nodeOn(cores.asking, [
          ...[LAUNCHER, "advisories", "import", files, "--parent", uid, "-q", "-o", "json"],
        ]);
        const env = { ...process.env, WHARF_API: server.url, WHARF_TOKEN: server.token };
        const before = cpuMsOf(server.pid);
        const begun = performance.now();
        const { stdout } = await promisify(execFile)(command, [...args], { env });
        const seconds = (performance.now() - begun) / 1000;
        serverMs += cpuMsOf(server.pid) - before;
        mustEqual(JSON.parse(stdout).created, count);
        return count / seconds;
      };

      const figures = await alternately(quick ? 1 : ROUNDS, insert, importing);
      const each = ((serverMs * 1000) / (round * count)).toFixed(0);
      const notes = [
        `the server used ${each} µs of CPU for each advisory, indexes of all filters included`,
        "ours reads in one process while the server writes in another",
      ];
      return { unit: "per s", ...figures, notes };
    },
  };
}
