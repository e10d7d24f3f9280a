/**
 * Bundles packages/console for browsers: files whose names contain a digest of their content, with brotli and gzip
 * beside them, and the page that loads them.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type Metafile, type Plugin } from "esbuild";
import { THEME_CSS } from "../packages/server/src/login/pages/theme.ts";
import { ROOT } from "./step.ts";

const ENTRY = "packages/console/src/main.tsx";
const DOCS_ENTRY = "packages/console/src/docs/main.tsx";
const THEME_ENTRY = "packages/console/src/theme.ts";
const ICON = "packages/console/src/icon.svg";

/** Resolves the colors that the console shares with the pages of the server. */
const THEME: Plugin = {
  name: "theme",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^wharf:theme$/ }, ({ path }) => ({ path, namespace: "theme" }));
    onLoad({ filter: /.*/, namespace: "theme" }, () => ({ contents: THEME_CSS, loader: "css" }));
  },
};

/** Bundles the files of the console into a folder; returns what went into them. */
export async function bundleConsole(files: string): Promise<Metafile> {
  mkdirSync(files, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { console: ENTRY, docs: DOCS_ENTRY, theme: THEME_ENTRY, icon: ICON },
    outdir: files,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["es2023"],
    jsx: "automatic",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    assetNames: "[name]-[hash]",
    plugins: [THEME],
    loader: { ".svg": "copy" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return metafile;
}

/**
 * Builds the console into a folder; returns what went into it. The server looks for it beside its bundle. The best
 * quality of brotli takes as long as everything else of a build.
 */
export async function buildConsole(
  out: string,
  brotliQuality: number = constants.BROTLI_MAX_QUALITY,
): Promise<Metafile> {
  const files = join(out, "files");
  const metafile = await bundleConsole(files);
  for (const name of readdirSync(files)) compress(join(files, name), brotliQuality);
  const icon = readdirSync(files).find((name) => name.endsWith(".svg")) ?? "";
  const theme = entryOf(metafile, THEME_ENTRY).script;
  const console = entryOf(metafile, ENTRY);
  const docs = entryOf(metafile, DOCS_ENTRY);
  writeFileSync(join(out, "index.html"), page({ ...console, theme, icon }));
  // Both pages share the styles of the console.
  const styles = [...console.styles, ...docs.styles];
  writeFileSync(join(out, "docs.html"), page({ ...docs, styles, theme, icon }));
  return metafile;
}

/** The files of a page. */
function entryOf({ outputs }: Metafile, entry: string): Omit<PageFiles, "theme" | "icon"> {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry);
  if (found === undefined) throw new Error(`the build has no output of ${entry}`);
  const [script, { cssBundle, imports }] = found;
  const parts = imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
  return { script, parts, styles: cssBundle === undefined ? [] : [cssBundle] };
}

function compress(path: string, brotliQuality: number): void {
  const content = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}

interface PageFiles {
  readonly script: string;
  readonly styles: readonly string[];
  /** Modules that the script imports. */
  readonly parts: readonly string[];
  /** A script that runs before the page is rendered. */
  readonly theme: string;
  readonly icon: string;
}

function page({ script, styles, parts, theme, icon }: PageFiles): string {
  const url = (path: string) => `/console/files/${basename(path)}`;
  const preloads = parts.map((part) => `<link rel="modulepreload" href="${url(part)}">\n`).join("");
  const links = styles.map((style) => `<link rel="stylesheet" href="${url(style)}">\n`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Wharf</title>
<link rel="icon" type="image/svg+xml" href="${url(icon)}">
<script src="${url(theme)}"></script>
${links}${preloads}<script type="module" src="${url(script)}"></script>
</head>
<body>
<div id="root"></div>
<noscript>This page needs JavaScript. The command line and the API do without.</noscript>
</body>
</html>
`;
}
