import ZipStream from "zip-stream";
import {
  type ArchivedFile,
  archiveOf,
} from "../../packages/server/src/vulnerabilities/feeds/archive.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { counted, type Row } from "../row.ts";

/** Justifies the zip writer of feeds: the library creates a stream for each small file. */
export function archiveRow({ quick, rounds }: Options): Row {
  const count = quick ? 2_000 : 20_000;
  return {
    work: `zip of ${counted(count)} documents`,
    reference: "zip-stream",
    target: { atMost: 0.5 },

    async measure() {
      const timed = (archive: () => AsyncIterable<Uint8Array>) => async () => {
        const begun = performance.now();
        for await (const _chunk of archive());
        return performance.now() - begun;
      };
      const figures = await alternately(
        rounds,
        timed(() => byLibrary(count)),
        timed(() => archiveOf(files(count))),
      );
      return { unit: "ms", ...figures, notes: [] };
    },
  };
}

async function* files(count: number): AsyncGenerator<ArchivedFile> {
  for (let number = 0; number < count; number++) {
    const text = JSON.stringify({ id: `CGA-${number}`, details: "What is known. ".repeat(60) });
    yield { path: `osv/CGA-${number}.json`, text, time: Date.UTC(2026, 0, 1) };
  }
}

/** With the same compression level. */
function byLibrary(count: number): AsyncIterable<Uint8Array> {
  const archive = new ZipStream({ zlib: { level: 6 } });
  const fill = async () => {
    for await (const { path: name, text, time } of files(count)) {
      const entry = Promise.withResolvers<void>();
      archive.entry(text, { name, date: new Date(time) }, (error) => {
        if (error) entry.reject(error);
        else entry.resolve();
      });
      await entry.promise;
    }
    archive.finalize();
  };
  fill().catch((error) => archive.destroy(error));
  return archive;
}
