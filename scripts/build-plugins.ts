import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "esbuild";

/** The code that loads a file beside it. */
type Loading = (file: string) => string;

/** With its code cache. */
export const loadFromBuild: Loading = (file) =>
  `require("@wharf/server/lib/runtime/code-cache.ts").loadBuilt(__dirname + "/${file}")`;

/** As any module. */
export const loadPlainly: Loading = (file) => `require("./${file}")`;

/** Has modules loaded from files that are built apart, when they are first imported. */
export function loadedApart(
  sources: string,
  files: Readonly<Record<string, string>>,
  load: Loading,
): Plugin {
  return {
    name: "loaded apart",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path }) =>
        Object.hasOwn(files, path) ? { path, namespace: "apart" } : undefined,
      );
      onLoad({ filter: /.*/, namespace: "apart" }, ({ path }) => ({
        contents: `module.exports = ${load(files[path] as string)};`,
        resolveDir: sources,
      }));
      onResolve({ filter: /\.cjs$/, namespace: "apart" }, ({ path }) => ({ path, external: true }));
    },
  };
}

/** The modules of commands that contain the server. */
const OF_OPERATORS = /^(admin\/\w|registry\/run\.ts$|serve\/run\.ts$)/;

/**
 * Has the commands of operators loaded from a file that is built apart, because they contain the server. The whole
 * command line runs there: the two files share no classes.
 */
export function operatorsApart(sources: string, file: string, load: Loading): Plugin {
  return {
    name: "operators apart",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path, importer, kind }) => {
        const module = relative(sources, join(dirname(importer), path));
        const isMeant = kind === "dynamic-import" && OF_OPERATORS.test(module);
        return isMeant ? { path: module, namespace: "operators" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "operators" }, () => ({
        contents: `exports.run = () => ${load(file)}.run(process.argv.slice(2));`,
        resolveDir: sources,
      }));
      onResolve({ filter: /\.cjs$/, namespace: "operators" }, ({ path }) => ({
        path,
        external: true,
      }));
    },
  };
}

/** Has libraries loaded from files beside the bundles: vendor/NAME.cjs. */
export function vendored(names: readonly string[]): Plugin {
  return {
    name: "vendored",
    setup({ onResolve }) {
      onResolve({ filter: /^[@a-z]/ }, ({ path }) =>
        names.includes(path) ? { path: `./${vendorFile(path)}`, external: true } : undefined,
      );
    },
  };
}

/** The file of a library, relative to the bundles. */
export function vendorFile(name: string): string {
  return `vendor/${name.replace("@", "").replace("/", "-")}.cjs`;
}

const ADDING = "addFile(file, skipTypes, withDeps) {";

/**
 * Has the protobuf library add each file that a file of the contract imports once. As it is, it adds
 * them for every way that leads to them, with all that is in them: some ten thousand times at each start.
 */
export const filesOnce: Plugin = {
  name: "files once",
  setup({ onLoad }) {
    onLoad({ filter: /@bufbuild\/protobuf\/dist\/esm\/registry\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!text.includes(ADDING)) throw new Error(`${path} is not what it was: look at it again`);
      const known = "if (withDeps && files.has(file.proto.name)) return;";
      return { contents: text.replace(ADDING, `${ADDING} ${known}`) };
    });
  },
};

/** A comment of an SQL file that is no directive (store/schema/statements.ts). */
const SQL_COMMENT = /^-- (?!(?:sqlite|postgres|repeat|backfill):).*\n/gm;

/**
 * Has the bundles contain the SQL files that the sources read from their folder (store/schema/sql-files.ts), without
 * comments: publint takes the words "imported from" in a bundle for a module.
 */
export const embeddedSql: Plugin = {
  name: "embedded SQL",
  setup({ onLoad }) {
    onLoad({ filter: /store\/schema\/sql-files\.ts$/ }, ({ path }) => {
      const folder = join(dirname(path), "../migrations");
      const files = readdirSync(folder).filter((name) => name.endsWith(".sql"));
      const imports = files.map((name, at) => `import f${at} from "../migrations/${name}";`);
      const entries = files.map((name, at) => `"${name}": f${at}`);
      const contents = `${imports.join("\n")}\nexport const SQL_FILES = { ${entries.join(", ")} };`;
      return { contents, resolveDir: dirname(path) };
    });
    onLoad({ filter: /store\/migrations\/[^/]*\.sql$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(SQL_COMMENT, ""),
      loader: "text",
    }));
  },
};
