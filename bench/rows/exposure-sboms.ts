import { cpuMsOf } from "../children.ts";
import { ImageServer, type PushedImage, uploadOf } from "../image-uploads.ts";
import { alternately, median } from "../measure.ts";
import { Program } from "../program.ts";
import type { ParseJob } from "../reference/parsed.ts";
import { counted, type Row } from "../row.ts";
import { sbomText } from "../sbom-text.ts";
import { mustEqual } from "../verify.ts";

export const SBOM_PACKAGES = 5_000;

/** Documents of one measurement: CPU time is counted in ticks of 10 ms. */
const DOCUMENTS = 5;

/** CPU from the upload of a document until its packages are stored, against parsing it. */
export const sbomRow: Row = {
  work: `CPU to ingest an SBOM of ${counted(SBOM_PACKAGES)} packages that no image had`,
  reference: "JSON.parse",
  target: { atLeast: 0.3 },

  async measure(bench) {
    await using images = await ImageServer.open(bench);
    await using reference = new Program<ParseJob, number>(
      "reference/parsed.ts",
      bench.cores.serving,
    );
    const { pid } = images.own.server;
    const pushed: PushedImage[] = [];
    for (let at = 0; at < DOCUMENTS; at++) pushed.push(await images.push());
    const text = sbomText(SBOM_PACKAGES, "0");
    const seconds: number[] = [];
    let round = 0;
    const ingest = async (wordsOf: (at: number) => string) => {
      const uploads = await Promise.all(
        pushed.map((_, at) => uploadOf(sbomText(SBOM_PACKAGES, wordsOf(at)))),
      );
      const [cpu, begun] = [cpuMsOf(pid), performance.now()];
      for (const [at, image] of pushed.entries()) await images.ingest(image, uploads[at] as string);
      seconds.push((performance.now() - begun) / 1000 / DOCUMENTS);
      return (1_000 * DOCUMENTS) / (cpuMsOf(pid) - cpu);
    };
    const fresh = () => ingest((at) => `${round}.${at}`);
    const parse = async () => 1_000 / (await reference.ask({ text, times: DOCUMENTS }));
    const both = async () => {
      round++;
      return fresh();
    };
    await parse();
    await both();
    mustEqual(await images.packages(pushed[0] as PushedImage), SBOM_PACKAGES);
    seconds.length = 0;
    const figures = await alternately(bench.options.rounds, parse, both);
    const rates: number[] = [];
    const wall = median(seconds);
    for (let at = 0; at < bench.options.rounds; at++) {
      round++;
      rates.push(await ingest(() => `known-${round}`));
    }
    const notes = [
      `${(text.length / 1e6).toFixed(1)} MB of SPDX; ${wall.toFixed(2)} s from the upload until the image is known`,
      `of packages that another image has just had: ${median(rates).toFixed(1)}/s`,
    ];
    return { unit: "per s", ...figures, notes };
  },
};
