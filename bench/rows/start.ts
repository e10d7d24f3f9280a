import { spawn } from "node:child_process";
import { once } from "node:events";
import { end } from "../children.ts";
import { nodeOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { inTurn } from "../measure.ts";
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
    // The first start makes the database and fills Node's cache of compiled code: done once in a life.
    const first = await start();
    await nothing();
    const figures = await inTurn(options.starts, nothing, start);
    const notes = [`the very first start, with an empty data directory: ${first.toFixed(0)} ms`];
    return { unit: "ms", ...figures, notes };
  },
};
