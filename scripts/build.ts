/**
 * Puts the command and all it needs into one file. The sources run as they are, but reading some
 * hundreds of small files makes for a slow start; one file with V8's code cache starts at once.
 *
 * CommonJS on purpose: importing node:http as a module makes Node.js load its whole fetch
 * implementation, which costs more than all of our own code.
 */
import { rmSync } from "node:fs";
import { build } from "esbuild";

const OUT = "packages/cli/dist";

rmSync(OUT, { recursive: true, force: true });
await build({
  entryPoints: ["packages/cli/src/main.ts"],
  outfile: `${OUT}/wharf.cjs`,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node24",
  // Needed by few installations, and then found beside us.
  external: ["@simplewebauthn/server", "pg", "yaml"],
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
});
