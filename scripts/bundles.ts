/**
 * Bundles the command: the start, which knows the version, the server, its reader, backup and layer processes and its storage threads,
 * the commands of operators, and all other commands.
 *
 * CommonJS on purpose: importing node:http as a module makes Node.js load its whole fetch
 * implementation, which costs more than all of our own code.
 */
import { join } from "node:path";
import { type BuildOptions, type BuildResult, build, type Plugin } from "esbuild";
import { WRAPPER } from "../packages/server/src/lib/runtime/code-cache.ts";
import { buildInfo } from "./build-info.ts";
import {
  embeddedSql,
  filesOnce,
  loadedApart,
  loadFromBuild,
  loadPlainly,
  operatorsApart,
} from "./build-plugins.ts";
import { leafImports } from "./leaf-imports.ts";
import { ROOT } from "./step.ts";

const SOURCES = "packages/cli/src";

/** Loaded on first use, which few installations need. */
export const LIBRARIES = [
  "@peculiar/x509",
  "@sigstore/bundle",
  "@sigstore/protobuf-specs",
  "@sigstore/verify",
  "@simplewebauthn/server",
  "jq-wasm/inline",
  "openid-client",
  "openpgp",
  "pg",
  "prom-client",
  "reflect-metadata",
  "yaml",
] as const;

export interface BundleOptions {
  /** The folder of the bundles. */
  readonly out: string;
  /** The oldest Node.js of the start and the commands, as esbuild names it. The server needs 24. */
  readonly target: string;
  /** Whether the bundles are ordinary modules, not compiled with a code cache (packages/server/src/lib/runtime/code-cache.ts). */
  readonly plain: boolean;
  readonly plugins: readonly Plugin[];
  readonly external: readonly string[];
}

/** The bundles, by what they were built from. */
export interface Bundles {
  readonly commands: readonly BuildResult[];
  readonly operators: readonly BuildResult[];
}

export async function bundle(options: BundleOptions): Promise<Bundles> {
  const { out, target, plain } = options;
  const load = plain ? loadPlainly : loadFromBuild;
  const server = commonOptions({ ...options, target: "node24" });
  const command = commonOptions(options);
  const wrapped: BuildOptions = plain
    ? {}
    : { banner: { js: WRAPPER.before }, footer: { js: WRAPPER.after } };
  const [apart, ...operators] = await Promise.all([
    build({
      ...command,
      ...wrapped,
      entryPoints: [`${SOURCES}/commands.ts`],
      outfile: join(out, "commands.cjs"),
      plugins: [
        ...(command.plugins ?? []),
        operatorsApart(join(ROOT, SOURCES), "operators.cjs", load),
      ],
    }),
    build({
      ...server,
      ...wrapped,
      entryPoints: [`${SOURCES}/operators.ts`],
      outfile: join(out, "operators.cjs"),
    }),
    build({
      ...server,
      ...wrapped,
      entryPoints: [`${SOURCES}/serve/alone.ts`],
      outfile: join(out, "server.cjs"),
    }),
    build({
      ...server,
      entryPoints: ["packages/server/src/store/db/sqlite/reader-process.ts"],
      outfile: join(out, "reader-process.cjs"),
    }),
    build({
      ...server,
      entryPoints: ["packages/server/src/app/backup/backup-process.ts"],
      outfile: join(out, "backup-process.cjs"),
    }),
    build({
      ...server,
      entryPoints: ["packages/server/src/exposure/layers/layer-process.ts"],
      outfile: join(out, "layer-process.cjs"),
    }),
    build({
      ...server,
      entryPoints: ["packages/server/src/registry/storage/disk-thread.ts"],
      outfile: join(out, "disk-thread.cjs"),
    }),
    build({
      ...server,
      // It runs from its text, which finds no libraries beside it.
      external: [],
      entryPoints: ["packages/server/src/exposure/inventory/document-thread.ts"],
      outfile: join(out, "document-thread.cjs"),
    }),
  ]);
  // Last, since the launcher takes the build to be as old as this file.
  const start = await build({
    ...command,
    target,
    entryPoints: [`${SOURCES}/main.ts`],
    outfile: join(out, "wharf.cjs"),
    plugins: [
      ...(command.plugins ?? []),
      loadedApart(
        join(ROOT, SOURCES),
        {
          "./commands.ts": "commands.cjs",
          "./operators.ts": "operators.cjs",
          "./serve/alone.ts": "server.cjs",
        },
        load,
      ),
    ],
  });
  return { commands: [start, apart], operators };
}

/** The build options of every bundle. */
export function commonOptions({
  target,
  plugins,
  external,
}: Pick<BundleOptions, "target" | "plugins" | "external">): BuildOptions {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    platform: "node",
    format: "cjs",
    target,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    plugins: [filesOnce, leafImports, embeddedSql, ...plugins],
    define: {
      // Programs that are started apart are beside the file that starts them (sqlite/reader-processes.ts).
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
      WHARF_BUILD: JSON.stringify(buildInfo()),
    },
    // Becomes require: an import would bring the machinery of modules along.
    supported: { "dynamic-import": false },
    external: [...external],
  };
}
