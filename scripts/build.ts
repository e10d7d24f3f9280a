/**
 * Puts the command and all it needs into six files: the start, which knows the version, the server, its
 * reader and backup processes, the commands of operators, and all other commands; then has V8 compile them. The
 * sources run as they are, but reading some hundreds of small files makes for a slow start; one file that
 * is compiled already starts at once.
 *
 * CommonJS on purpose: importing node:http as a module makes Node.js load its whole fetch
 * implementation, which costs more than all of our own code.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, type BuildResult, build } from "esbuild";
import { WRAPPER } from "../packages/cli/src/built.ts";
import { filesOnce, loadedApart, operatorsApart } from "./build-plugins.ts";
import { keepCode } from "./code.ts";
import { leafImports } from "./leaf-imports.ts";
import { ROOT } from "./step.ts";

const SOURCES = "packages/cli/src";
const OUT = join(ROOT, "packages/cli/dist");

const plugins = [filesOnce, leafImports];

const common: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  plugins,
  // Programs that are started apart are beside the file that starts them (sqlite/reader-processes.ts).
  define: { "import.meta.dirname": "__dirname", "import.meta.filename": "__filename" },
  // Becomes require: an import would bring the machinery of modules along.
  supported: { "dynamic-import": false },
  // Loaded when something is first asked of them, which few installations do, and found beside us.
  external: [
    "@peculiar/x509",
    "@simplewebauthn/server",
    "openid-client",
    "openpgp",
    "pg",
    "prom-client",
    "reflect-metadata",
    "yaml",
  ],
};

/** Files that are compiled when they are built, not when they are required. */
const compiledNow: BuildOptions = {
  ...common,
  banner: { js: WRAPPER.before },
  footer: { js: WRAPPER.after },
};

rmSync(OUT, { recursive: true, force: true });
const commands = await build({
  ...compiledNow,
  entryPoints: [`${SOURCES}/commands.ts`],
  outfile: join(OUT, "commands.cjs"),
  plugins: [...plugins, operatorsApart(join(ROOT, SOURCES), "operators.cjs")],
});
const operators = [
  await build({
    ...compiledNow,
    entryPoints: [`${SOURCES}/operators.ts`],
    outfile: join(OUT, "operators.cjs"),
  }),
  await build({
    ...compiledNow,
    entryPoints: [`${SOURCES}/serve/alone.ts`],
    outfile: join(OUT, "server.cjs"),
  }),
  await build({
    ...common,
    entryPoints: ["packages/server/src/store/db/sqlite/reader-process.ts"],
    outfile: join(OUT, "reader-process.cjs"),
  }),
  await build({
    ...common,
    entryPoints: ["packages/server/src/app/backup/backup-process.ts"],
    outfile: join(OUT, "backup-process.cjs"),
  }),
];
// Last, since the launcher takes the build to be as old as this file.
const start = await build({
  ...common,
  entryPoints: [`${SOURCES}/main.ts`],
  outfile: join(OUT, "wharf.cjs"),
  plugins: [
    loadedApart(join(ROOT, SOURCES), {
      "./commands.ts": "commands.cjs",
      "./operators.ts": "operators.cjs",
      "./serve/alone.ts": "server.cjs",
    }),
  ],
});
listSources("commands.sources", [start, commands]);
listSources("sources", [start, commands, ...operators]);
await keepCode(OUT);

/** Lists what went into some of the files, for the launcher. */
function listSources(name: string, built: readonly BuildResult[]): void {
  const inputs = new Set(built.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {})));
  const ours = [...inputs].filter((file) => file.startsWith("packages/"));
  writeFileSync(join(OUT, name), ours.map((file) => file.slice("packages".length)).join("\n"));
}
