/** A program in place of the layer process, which tries what that one must not be able to do, and answers with what it could. */
import { readFileSync, readSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { getBuiltinModule } from "node:process";
import { FIRST_DESCRIPTOR } from "../../../lib/child-program.ts";
import type { LayerTask } from "../layer-task.ts";

const task = JSON.parse(readFileSync(FIRST_DESCRIPTOR, "utf8")) as LayerTask;
const [port = "0", file = ""] = task.layers[0]?.digest.split(" ") ?? [];

const attempts: Record<string, () => unknown> = {
  read: () => readFileSync("/etc/passwd"),
  write: () => writeFileSync(file, "written"),
  run: () => getBuiltinModule("node:child_process").execFileSync("true"),
  thread: () => new (getBuiltinModule("node:worker_threads").Worker)("", { eval: true }),
  environment: () =>
    assertEmpty(Object.keys(process.env).filter((name) => name !== "NODE_OPTIONS")),
  descriptor: () => readSync(FIRST_DESCRIPTOR + 1, Buffer.alloc(1)),
};

function assertEmpty(names: readonly string[]): void {
  if (names.length === 0) throw new Error("no variables");
}

const could = Object.entries(attempts)
  .filter(([, attempt]) => {
    try {
      attempt();
      return true;
    } catch {
      return false;
    }
  })
  .map(([name]) => name);

async function connects(): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      connect(Number(port), "127.0.0.1")
        .on("connect", () => resolve(true))
        .on("error", () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}

void connects().then((isConnected) => {
  const all = isConnected ? [...could, "connect"] : could;
  process.stdout.write(JSON.stringify({ outcome: "failed", could: all }), () => process.exit(0));
});
