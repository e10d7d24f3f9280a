import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";
import { ROOT } from "./step.ts";

/** A name that a module exports: where it is defined, or, for all of a module, `*`. */
interface Definition {
  readonly file: string;
  readonly name: string;
}

const PACKAGES = join(ROOT, "packages");

/** Modules that only export what others define. */
const INDEXES: Readonly<Record<string, string>> = {
  "@wharf/client": join(PACKAGES, "client/src/index.ts"),
  "@wharf/contract": join(PACKAGES, "contract/src/index.ts"),
  "@wharf/contract/messages": join(PACKAGES, "contract/src/messages.ts"),
};

/** The services of the client, by name. */
const CLIENT_SERVICES = join(PACKAGES, "client/gen/services.ts");

const IMPORT = /^import \{([^}]*)\} from "([^"]+)";/gm;
const EXPORT_ALL = /^export \*(?: as (\w+))? from "([^"]+)";/gm;
const EXPORT_SOME = /^export \{([^}]*)\} from "([^"]+)";/gm;
const EXPORT_IMPORTED = /^export \{([^}]*)\};/gm;
const EXPORT_OWN = /^export (?:async )?(?:const|function\*?|class|enum) (\w+)/gm;

/**
 * Has modules import each name from the file that defines it. An index loads everything that it exports, and parsing
 * the descriptors of all messages takes longer than a command that uses a few.
 */
export const leafImports: Plugin = {
  name: "leaf imports",
  setup({ onLoad }) {
    onLoad({ filter: /packages\/(cli|client|contract)\/(src|gen)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const contents =
        path === CLIENT_SERVICES ? withLazyServices(text) : withLeafImports(text, path);
      return { contents, loader: "ts" };
    });
  },
};

function withLeafImports(text: string, path: string): string {
  return text.replace(IMPORT, (whole, names: string, from: string) => {
    const index = INDEXES[from] ?? (from.startsWith(".") ? join(dirname(path), from) : "");
    if (!Object.values(INDEXES).includes(index)) return whole;
    const known = definitionsOf(index);
    return listed(names)
      .map((specifier) => {
        const [name = "", alias = name] = specifier.split(" as ");
        const found = known.get(name);
        if (found === undefined) return `import { ${specifier} } from ${JSON.stringify(from)};`;
        if (found.name === "*") return `import * as ${alias} from ${JSON.stringify(found.file)};`;
        return `import { ${found.name} as ${alias} } from ${JSON.stringify(found.file)};`;
      })
      .join("\n");
  });
}

/** The services as getters: each loads its descriptor when it is first read. */
function withLazyServices(text: string): string {
  const known = definitionsOf(INDEXES["@wharf/contract/messages"] as string);
  const lazy = text
    .replace(IMPORT, "")
    .replace(/^ {2}(\w+): (?:(\w+)\.)?(\w+),$/gm, (_, name, all, service) => {
      const { file } = known.get(all ?? service) ?? { file: "" };
      return `  get ${name}() { return require(${JSON.stringify(file)}).${service}; },`;
    });
  if (!lazy.includes("get groups()")) throw new Error(`${CLIENT_SERVICES} is not what it was`);
  return lazy;
}

const DEFINITIONS = new Map<string, Map<string, Definition>>();

/** The values that a module exports, by name. */
function definitionsOf(file: string): Map<string, Definition> {
  const known = DEFINITIONS.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, Definition>();
  DEFINITIONS.set(file, found);
  const text = readFileSync(file, "utf8");
  for (const [, name = ""] of text.matchAll(EXPORT_OWN)) found.set(name, { file, name });
  const exported = [...text.matchAll(EXPORT_IMPORTED)].flatMap(([, names = ""]) => listed(names));
  const imports = [...text.matchAll(IMPORT)].map(
    ([, names = "", from = ""]) =>
      [listed(names).filter((name) => exported.includes(name)), from] as const,
  );
  const exports = [...text.matchAll(EXPORT_SOME)].map(
    ([, names = "", from = ""]) => [listed(names), from] as const,
  );
  for (const [names, from] of [...imports, ...exports]) {
    for (const specifier of names) {
      const [name = "", alias = name] = specifier.split(" as ");
      const definition = definitionsOf(fileOf(from, file)).get(name);
      if (definition !== undefined) found.set(alias, definition);
    }
  }
  for (const [, alias, from = ""] of text.matchAll(EXPORT_ALL)) {
    const source = fileOf(from, file);
    if (alias !== undefined) found.set(alias, { file: source, name: "*" });
    else
      for (const [name, one] of definitionsOf(source)) if (!found.has(name)) found.set(name, one);
  }
  return found;
}

function fileOf(from: string, importer: string): string {
  const file = INDEXES[from] ?? join(dirname(importer), from);
  if (!existsSync(file)) throw new Error(`${importer}: cannot find ${from}`);
  return file;
}

/** The names of values in braces. */
function listed(names: string): string[] {
  const all = names.split(",").map((name) => name.trim());
  return all.filter((name) => name !== "" && !name.startsWith("type "));
}
