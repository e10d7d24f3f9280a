import { spawn } from "node:child_process";
import { once } from "node:events";
import { end } from "../children.ts";
import { nodeOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { alternately } from "../measure.ts";
import type { Row } from "../row.ts";
import { Wharf } from "../wharf.ts";

export const startRow: Row = {
  work: "start to ready",
  reference: "`node -e 0`",
  target: { atMost: 8 },

  async measure({ options, cores, profiles }) {
    using scratch = new ScratchData();
    const server = { data: scratch.path, core: cores.serving, profiles };
    const start = async () => {
      const begun = performance.now();
      const { child } = await Wharf.launch(server);
      const taken = performance.now() - begun;
      await end(child, "SIGTERM");
      return taken;
    };
    const nothing = async () => {
      const [command, args] = nodeOn(cores.serving, ["-e", "0"]);
      const begun = performance.now();
      await once(spawn(command, args, { stdio: "ignore" }), "exit");
      return performance.now() - begun;
    };
    // The first start creates the database and fills the code cache of Node.js: once per installation.
    const first = await start();
    await nothing();
    const figures = await alternately(options.starts, nothing, start);
    const notes = [`the first start, with an empty data directory: ${first.toFixed(0)} ms`];
    return { unit: "ms", ...figures, notes };
  },
};
