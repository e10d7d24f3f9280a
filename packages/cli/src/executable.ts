/**
 * The start of the single-file executable: the bundles are its assets, and load each other as they would from a folder.
 * Under the name of another program, a link for example, it is that program.
 */
import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { getAsset } from "node:sea";
import { Script } from "node:vm";
import { WRAPPER } from "@wharf/server/lib/runtime/code-cache.ts";

const FOLDER = dirname(process.execPath);

/** The words that come first when the executable is called by another name. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  "docker-credential-wharf": ["auth", "docker-credential"],
  "wharf-credential-provider": ["auth", "kubelet-credential"],
};

const builtin = createRequire(process.execPath);
const loaded = new Map<string, { exports: unknown }>();

function load(name: string): unknown {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const code = `${WRAPPER.before}${getAsset(name, "utf8")}\n${WRAPPER.after}`;
  const require = (id: string) =>
    id.startsWith(".") ? load(join(dirname(name), id)) : builtin(id);
  const script = new Script(code, { filename: name });
  script.runInThisContext()(module.exports, require, module, join(FOLDER, name), FOLDER);
  return module.exports;
}

/** Bundles that are processes of their own. */
const APART = ["reader-process.cjs", "backup-process.cjs", "layer-process.cjs"];

/** A process that we have forked has the file that it runs as its first word: a bundle, or the executable. */
function forkedFile(): string | undefined {
  const [, , file = ""] = process.argv;
  if (process.channel === undefined) return undefined;
  const apart = APART.find((name) => file === join(FOLDER, name));
  if (apart !== undefined) return apart;
  const isOurs = existsSync(file) && realpathSync(file) === realpathSync(process.execPath);
  return isOurs ? "wharf.cjs" : undefined;
}

const forked = forkedFile();
if (forked !== undefined) process.argv.splice(1, 1);
else process.argv.splice(2, 0, ...(PROGRAMS[basename(process.argv0, ".exe")] ?? []));
load(forked ?? "wharf.cjs");
