import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyOf, dataSet } from "../data-set.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { Program } from "../program.ts";
import type { ServedFile } from "../reference/static-file.ts";
import { counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const ARCHIVE = `/feeds/${ORGANIZATION}/osv/all.zip`;

/** One: a feed that is made again for each download would otherwise take minutes. */
const CONNECTIONS = 1;

async function download({ url, token }: Wharf): Promise<Buffer> {
  const response = await fetch(`${url}${ARCHIVE}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${ARCHIVE}: ${response.status} ${bytes}`);
  return bytes;
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Downloads of a feed by many scanners: nothing has changed since the first. */
export function feedRow({ quick }: Options): Row {
  const count = quick ? 200 : 30_000;
  return {
    work: `second and later downloads of an unchanged feed, an archive of ${counted(count)} advisories`,
    reference: "node:http with the same file on disk",
    target: { atLeast: 0.5 },

    async measure(bench) {
      using folder = copyOf(await dataSet(count, "advisories"));
      await using server = await serve(bench, folder.path);
      const begun = performance.now();
      const archive = await download(server);
      const first = performance.now() - begun;
      mustEqual(digestOf(await download(server)), digestOf(archive));
      const file = join(folder.path, "archive.zip");
      writeFileSync(file, archive);
      await using reference = new Program<ServedFile, { port: number }>(
        "reference/static-file.ts",
        bench.cores.serving,
      );
      const { port } = await reference.ask({ file });
      const { token } = server;
      const targets = [{ path: ARCHIVE }];
      const side = (pid: number, to: number): Side => ({
        pid,
        load: (seconds) =>
          bench.http.ask({
            ...{ port: to, token, method: "GET", targets, connections: CONNECTIONS, seconds },
          }),
      });
      const bare = side(reference.pid, port);
      const ours = side(server.pid, server.port);
      const measured = await measureLoads(bench, "per s", perSecond, bare, ours);
      const size = `${counted(Math.round(archive.length / 1024))} KiB`;
      const note = `${size}; the first download took ${first.toFixed(0)} ms`;
      return { ...measured, notes: [note, ...measured.notes] };
    },
  };
}
