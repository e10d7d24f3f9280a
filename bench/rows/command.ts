import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { nodeOn } from "../cores.ts";
import { ScratchData } from "../data-set.ts";
import { alternately } from "../measure.ts";
import { type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import { LAUNCHER } from "../wharf.ts";

/** Folders in the list. */
const FOLDERS = 60;

/** A command with one request, from its start to its exit. */
export const commandRow: Row = {
  work: "`wharf iam folders list` of 60 folders",
  reference: "`node -e 0`",
  target: { atMost: 4 },

  async measure(bench) {
    const { options, cores } = bench;
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const create = async (path: string, name: string) =>
      JSON.parse(await server.rest(`/iam/v2beta1/groups${path}`, JSON.stringify({ name }))).uid;
    const organization = await create("", "organization");
    for (let at = 0; at < FOLDERS; at++) await create(`/${organization}`, `folder-${at}`);

    const env = { ...process.env, WHARF_API: server.url, WHARF_TOKEN: server.token };
    const timed = async (words: readonly string[]) => {
      const [command, args] = nodeOn(cores.asking, words);
      const begun = performance.now();
      const { stdout } = await promisify(execFile)(command, [...args], { env });
      return { ms: performance.now() - begun, stdout };
    };
    const list = async () => {
      const { ms, stdout } = await timed([LAUNCHER, "iam", "folders", "list"]);
      mustEqual(stdout.split("\n").filter((line) => line.includes("folder-")).length, FOLDERS);
      return ms;
    };
    const nothing = async () => (await timed(["-e", "0"])).ms;
    // The first run fills the code cache of Node.js.
    await list();
    await nothing();
    const figures = await alternately(options.starts, nothing, list);
    return { unit: "ms", ...figures, notes: ["built, with its cache of compiled code"] };
  },
};
