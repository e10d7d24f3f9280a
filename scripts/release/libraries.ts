/**
 * The packages of libraries: JavaScript modules with declarations, one file for each source. Bundles would hide the
 * subpaths from bundlers, and give programs that use two of the packages two copies of the messages.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { ROOT, tool } from "../step.ts";

export const LIBRARY_NAMES = ["contract", "client", "advisories"] as const;

/**
 * The oldest Node.js, and the functions that it has: compiling rejects others. Map.groupBy and Zstandard, which only the
 * advisories need, came later.
 */
const PLATFORMS: Readonly<Record<string, { readonly node: string; readonly lib: string[] }>> = {
  contract: { node: ">=20.3", lib: ["es2023"] },
  client: { node: ">=20.3", lib: ["es2023"] },
  advisories: { node: ">=22.15", lib: ["es2024", "esnext.array", "esnext.collection"] },
};

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Writes the folder of a package, as it is packed. Packages that it depends on must have been written before. */
export async function stageLibrary(name: string, stage: string): Promise<string> {
  const source = join(ROOT, "packages", name);
  const folder = join(stage, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyGenerated(source, join(folder, "dist"));
  await compile(name, folder, stage);
  for (const file of filesBelow(join(folder, "dist"))) {
    if (file.endsWith(".d.ts")) rewriteImports(file);
  }
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8")) as Manifest;
  const packed = JSON.stringify(packedManifest(manifest, name), null, 2);
  writeFileSync(join(folder, "package.json"), `${packed}\n`);
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  cpSync(join(source, "README.md"), join(folder, "README.md"));
  return folder;
}

/** Writes the folder of the package of the .proto files, as it is packed. */
export function stageProtos(stage: string): string {
  const folder = join(stage, "proto");
  cpSync(join(ROOT, "proto"), folder, { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const { private: _, ...manifest } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

/** Generated messages are JavaScript with declarations already; the OpenAPI document is JSON. */
function copyGenerated(source: string, dist: string): void {
  const generated = join(source, "gen");
  if (!existsSync(generated)) return;
  for (const file of filesBelow(generated).filter((one) => /\.(js|d\.ts|json)$/.test(one))) {
    cpSync(file, join(dist, "gen", relative(generated, file)));
  }
}

async function compile(name: string, folder: string, stage: string): Promise<void> {
  const source = join(ROOT, "packages", name);
  const config = join(folder, "tsconfig.json");
  const contract = join(stage, "contract/dist");
  const settings = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      // Not newer than the oldest Node.js that runs them.
      target: "es2022",
      lib: PLATFORMS[name]?.lib,
      rootDir: source,
      outDir: join(folder, "dist"),
      typeRoots: [join(ROOT, "node_modules/@types")],
      // The compiled package, not the sources: those would be compiled once more.
      paths: {
        "@wharf/contract": [join(contract, "src/index.d.ts")],
        "@wharf/contract/messages": [join(contract, "src/messages.d.ts")],
        "@wharf/contract/v1": [join(contract, "src/v1.d.ts")],
        "@wharf/contract/gen/*": [join(contract, "gen/*")],
      },
    },
    include: [join(source, "src"), join(source, "gen")],
    exclude: [join(source, "**/*.test.ts"), join(source, "**/testing.ts")],
  };
  writeFileSync(config, JSON.stringify(settings));
  await tool("tsc", "-p", config);
  rmSync(config);
}

/** Declarations keep the extensions of the sources. */
function rewriteImports(file: string): void {
  const text = readFileSync(file, "utf8");
  const rewritten = text.replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
  if (rewritten !== text) writeFileSync(file, rewritten);
}

function packedManifest({ private: _, exports, ...manifest }: Manifest, name: string): object {
  return {
    ...manifest,
    sideEffects: false,
    files: ["dist"],
    engines: { node: PLATFORMS[name]?.node },
    types: declarationsOf(exports["."] as string),
    exports: {
      ...Object.fromEntries(
        Object.entries(exports).map(([path, file]) => [path, packedExport(file)]),
      ),
      "./package.json": "./package.json",
    },
  };
}

function packedExport(file: string): string | { types: string; default: string } {
  if (file.endsWith(".json")) return inDist(file);
  return { types: declarationsOf(file), default: inDist(file).replace(/\.ts$/, ".js") };
}

function declarationsOf(file: string): string {
  return inDist(file).replace(/\.[jt]s$/, ".d.ts");
}

function inDist(file: string): string {
  return file.replace(/^\./, "./dist");
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort((a, b) => (relative(folder, a) < relative(folder, b) ? -1 : 1));
}
