import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Has modules loaded from files that are built apart, when they are first imported.
 *
 * @example plugins: [loadedApart("packages/cli/src", { "./commands.ts": "commands.cjs" })]
 */
export function loadedApart(sources: string, files: Readonly<Record<string, string>>): Plugin {
  return {
    name: "loaded apart",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path }) =>
        Object.hasOwn(files, path) ? { path, namespace: "apart" } : undefined,
      );
      onLoad({ filter: /.*/, namespace: "apart" }, ({ path }) => ({
        contents: `module.exports = require("./built.ts").loadBuilt(__dirname + "/${files[path]}");`,
        resolveDir: sources,
      }));
    },
  };
}

/** The modules of commands that contain the server. */
const OF_OPERATORS = /^(admin\/\w|registry\/run\.ts$|serve\/run\.ts$)/;

/**
 * Has the commands of operators loaded from a file that is built apart, because they contain the server. The whole
 * command line runs there: the two files share no classes.
 *
 * @example plugins: [operatorsApart("packages/cli/src", "operators.cjs")]
 */
export function operatorsApart(sources: string, file: string): Plugin {
  return {
    name: "operators apart",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\// }, ({ path, importer, kind }) => {
        const module = relative(sources, join(dirname(importer), path));
        const isMeant = kind === "dynamic-import" && OF_OPERATORS.test(module);
        return isMeant ? { path: module, namespace: "operators" } : undefined;
      });
      onLoad({ filter: /.*/, namespace: "operators" }, () => ({
        contents: `const { loadBuilt } = require("./built.ts");
          exports.run = () => loadBuilt(__dirname + "/${file}").run(process.argv.slice(2));`,
        resolveDir: sources,
      }));
    },
  };
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
