import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { advisoriesV1, httpRulesOf } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { World } from "./support/world/world.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../../docs/migrate-v1-to-v2.md"), "utf8");

/** The separator between blocks of output; nothing of the guide prints it. */
const END = "=== end of block ===";

/** The commands of the guide, each block with the output that follows it. */
const BLOCKS = [...GUIDE.matchAll(/```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?/gs)].map(
  ([, commands = "", output = ""]) => ({ commands, output }),
);

describe("the guide from version 1 to version 2", () => {
  let world: World;
  before(async () => {
    world = await World.start();
  });
  after(() => world.stop());

  test("has commands that print what it shows", async () => {
    assert.ok(BLOCKS.length > 12);
    const script = BLOCKS.map(({ commands }) => `${commands}\necho; echo '${END}'\n`).join("");
    const env = { ...process.env, API: world.server.url, TOKEN: world.operator().token };
    const run = promisify(execFile);
    // Without a login session, bash takes our pipe for a remote shell and would read its settings.
    const flags = ["--norc", "-euo", "pipefail", "-c"];
    const { stdout, stderr } = await run("bash", [...flags, script], { env });
    assert.equal(stderr, "");
    const printed = stdout.split(`${END}\n`);
    for (const [at, { commands, output }] of BLOCKS.entries()) {
      assert.equal(printed[at]?.trimEnd(), output.trimEnd(), commands);
    }
  });
});

test("the guide lists every v1 path", () => {
  for (const method of [...SERVICES_V1, advisoriesV1.Advisories].flatMap((one) => one.methods)) {
    for (const { verb, path } of httpRulesOf(method)) {
      const shown = path.replaceAll(/\{([^}=]+)[^}]*\}/g, "{$1}");
      assert.ok(GUIDE.includes(`| \`${verb} ${shown}\` (`), `${verb} ${shown}`);
    }
  }
});
