/**
 * Puts the command and all it needs into two files: the start, which knows the version, and
 * everything else. The sources run as they are, but reading some hundreds of small files makes for a
 * slow start; one file with V8's code cache starts at once.
 *
 * CommonJS on purpose: importing node:http as a module makes Node.js load its whole fetch
 * implementation, which costs more than all of our own code.
 */
import { rmSync } from "node:fs";
import { type BuildOptions, build, type Plugin } from "esbuild";

const OUT = "packages/cli/dist";

/** The start loads the rest as the file that it is built into. */
const restApart: Plugin = {
  name: "rest apart",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/commands\.ts$/ }, () => ({ path: "./commands.cjs", external: true }));
  },
};

const common: BuildOptions = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};

rmSync(OUT, { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ["packages/cli/src/commands.ts"],
  outfile: `${OUT}/commands.cjs`,
  // Needed by few installations, and then found beside us.
  external: ["@simplewebauthn/server", "pg", "yaml"],
});
// Last, since the launcher takes the build to be as old as this file.
await build({
  ...common,
  entryPoints: ["packages/cli/src/main.ts"],
  outfile: `${OUT}/wharf.cjs`,
  plugins: [restApart],
  // Becomes require: an import would bring the machinery of modules along.
  supported: { "dynamic-import": false },
});
