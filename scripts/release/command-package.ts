/**
 * The package of the command and the server. It depends on nothing: libraries are bundled, so that it installs without
 * a registry. It has no code caches, which only the Node.js that made them could use.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildResult, build } from "esbuild";
import { buildConsole } from "../build-console.ts";
import { vendored, vendorFile } from "../build-plugins.ts";
import { bundle, commonOptions, LIBRARIES } from "../bundles.ts";
import { ROOT } from "../step.ts";
import { licensesOf } from "./licenses.ts";

const COMMAND = join(ROOT, "packages/cli");

/** The oldest Node.js of the commands; the server needs 24 (bin/installed.cjs). */
const OLDEST = "20.12";

/** The file name of each shell's completion script. */
const COMPLETIONS = { bash: "wharf.bash", zsh: "_wharf", fish: "wharf.fish" } as const;

/** Never installed: pg does without. */
const OPTIONAL = ["pg-native"];

/** Writes the bundles into a folder, as ordinary modules with all libraries. Returns what they are made of. */
async function bundlePlainly(out: string): Promise<BuildResult[]> {
  const plugins = [vendored(LIBRARIES)];
  const options = { target: `node${OLDEST}`, plugins, external: OPTIONAL };
  const { commands, operators } = await bundle({ out, plain: true, ...options });
  const olderNode = await build({
    ...commonOptions(options),
    entryPoints: ["packages/cli/src/older-node.ts"],
    outfile: join(out, "older-node.cjs"),
  });
  const libraries = LIBRARIES.map((name) =>
    build({
      ...commonOptions({ ...options, plugins: [] }),
      stdin: {
        contents: `module.exports = require("${name}");`,
        resolveDir: join(ROOT, "packages/server"),
      },
      outfile: join(out, vendorFile(name)),
    }),
  );
  const console = await buildConsole(join(out, "console"));
  const pages = { metafile: console } as BuildResult;
  return [...commands, ...operators, olderNode, pages, ...(await Promise.all(libraries))];
}

/** Writes the folder of the package, as it is packed. */
export async function stageCommand(stage: string): Promise<string> {
  const folder = join(stage, "cli");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const built = await bundlePlainly(join(folder, "dist"));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), licensesOf(built));
  for (const [name, source] of [
    ["wharf.cjs", "installed.cjs"],
    ["runtime.cjs", "runtime.cjs"],
    ["docker-credential-wharf.cjs", "docker-credential-wharf.cjs"],
    ["wharf-credential-provider.cjs", "wharf-credential-provider.cjs"],
  ] as const) {
    cpSync(join(COMMAND, "bin", source), join(folder, "bin", name));
  }
  cpSync(join(COMMAND, "man"), join(folder, "man"), { recursive: true });
  cpSync(join(COMMAND, "README.md"), join(folder, "README.md"));
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  mkdirSync(join(folder, "completions"));
  for (const [shell, file] of Object.entries(COMPLETIONS)) {
    const script = execFileSync(process.execPath, [
      join(folder, "bin/wharf.cjs"),
      "completion",
      shell,
    ]);
    writeFileSync(join(folder, "completions", file), script);
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(folder), null, 2)}\n`);
  return folder;
}

function manifest(folder: string): object {
  const source = JSON.parse(readFileSync(join(COMMAND, "package.json"), "utf8"));
  const { private: _, dependencies: __, ...own } = source;
  const pages = readdirSync(join(folder, "man")).sort();
  return {
    ...own,
    engines: { node: `>=${OLDEST}` },
    files: ["bin", "completions", "dist", "man", "THIRD-PARTY-LICENSES"],
    man: pages.map((page) => `./man/${page}`),
  };
}
