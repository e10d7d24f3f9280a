import { statSync } from "node:fs";
import { join } from "node:path";
import { ScratchData } from "../data-set.ts";
import { writeLayer } from "../layer-file.ts";
import { alternately } from "../measure.ts";
import type { Options } from "../options.ts";
import { Program } from "../program.ts";
import type { LayerJob, LayerWork } from "../reference/layers.ts";
import type { Row } from "../row.ts";

/** The bytes of the files of a layer. */
export function layerBytes({ quick }: Pick<Options, "quick">): number {
  return (quick ? 30 : 300) * 1e6;
}

/** CPU to find the packages of a layer, against decompressing it. */
export function layerRow(options: Options): Row {
  const megabytes = layerBytes(options) / 1e6;
  return {
    work: `CPU to read the packages of a layer of ${megabytes} MB`,
    reference: "decompressing it",
    target: { atMost: 1 / 0.7 },

    async measure(bench) {
      using folder = new ScratchData();
      const file = join(folder.path, "layer");
      await writeLayer(file, layerBytes(options));
      await using program = new Program<LayerJob, LayerWork>(
        "reference/layers.ts",
        bench.cores.serving,
      );
      let packages = 0;
      const read = async () => {
        const work = await program.ask({ file, how: "read" });
        packages = work.packages;
        return work.cpuMs;
      };
      const decompress = async () => (await program.ask({ file, how: "decompress" })).cpuMs;
      for (const warmUp of [decompress, read]) await warmUp();
      const figures = await alternately(bench.options.rounds, decompress, read);
      const notes = [
        `${(statSync(file).size / 1e6).toFixed(0)} MB compressed with gzip, ${packages} packages`,
        "ours is a fresh process for each image, with its start",
      ];
      return { unit: "ms", ...figures, notes };
    },
  };
}
