import { spawn } from "node:child_process";
import { once } from "node:events";
import { nodeOn } from "../cores.ts";
import { alternately } from "../measure.ts";
import type { Row } from "../row.ts";
import { LAUNCHER } from "../wharf.ts";

export const versionRow: Row = {
  work: "`wharf --version`",
  reference: "`node -e 0`",
  target: { atMost: 3 },

  async measure({ options, cores }) {
    const timed = async (words: readonly string[]) => {
      const [command, args] = nodeOn(cores.serving, words);
      const begun = performance.now();
      const [code] = await once(spawn(command, args, { stdio: "ignore" }), "exit");
      if (code !== 0) throw new Error(`node ${words.join(" ")} exited with ${code}`);
      return performance.now() - begun;
    };
    const version = () => timed([LAUNCHER, "--version"]);
    const nothing = () => timed(["-e", "0"]);
    // The first run fills the code cache of Node.js.
    await version();
    await nothing();
    const figures = await alternately(options.starts, nothing, version);
    return { unit: "ms", ...figures, notes: ["built, with its cache of compiled code"] };
  },
};
