import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepError } from "../step.ts";
import { HEADER } from "./header.ts";

const SERVER = "packages/server/src";

/** The declaration of a resource in a file: an exported constant that holds one. */
const DECLARATION = /^export const (\w+)(?:: Resource<\w+>)? = new Resource\(/gm;
const CONSTRUCTION = /(?<!\* .*)\bnew Resource\(/g;

/**
 * The module that collects the resource definitions of the server, and adds them to the type of the catalog: text
 * by path.
 */
export function resourceIndex(): Map<string, string> {
  const found = readdirSync(join(ROOT, SERVER), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .sort()
    .flatMap((path) => declarations(path));
  rejectDuplicates(found.map(({ name }) => name));
  const lines = [
    HEADER,
    ...found.map(({ name, path }) => `import { ${name} } from "../${path}";`),
    "",
    "/** Every resource of the server by its name. */",
    "export const RESOURCES = {",
    ...found.map(({ name }) => `  ${name},`),
    "};",
    "",
    "type Resources = typeof RESOURCES;",
    "",
    'declare module "../engine/catalog.ts" {',
    "  interface Catalog extends Resources {}",
    "}\n",
  ];
  return new Map([[`${SERVER}/app/resources.ts`, lines.join("\n")]]);
}

function declarations(path: string): { readonly name: string; readonly path: string }[] {
  const text = readFileSync(join(ROOT, SERVER, path), "utf8");
  const names = [...text.matchAll(DECLARATION)].map(([, name = ""]) => name);
  if (names.length !== (text.match(CONSTRUCTION) ?? []).length) {
    throw new StepError(
      `${SERVER}/${path}: declare a resource as \`export const <name>: Resource<Message> = new Resource({…})\``,
    );
  }
  return names.map((name) => ({ name, path }));
}

function rejectDuplicates(names: readonly string[]): void {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) {
    throw new StepError(`two resources of ${SERVER} are called ${duplicate}: rename one`);
  }
}
