/**
 * Renders the Helm chart without Helm, which is not to be had everywhere. The chart keeps to fields, `toJson`, `if` and
 * `else`; all other actions are errors here.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { ROOT } from "../step.ts";

export const CHART = join(ROOT, "deploy/helm/wharf");

export type Values = Readonly<Record<string, unknown>>;

export function defaultValues(): Values {
  return parse(readFileSync(join(CHART, "values.yaml"), "utf8"));
}

/** The objects of the chart with values in place of the defaults. */
export function renderChart(changed: Values): Record<string, unknown>[] {
  const values = merged(defaultValues(), changed);
  const release = { Name: "wharf-test", Namespace: "wharf" };
  return globSync("templates/*.yaml", { cwd: CHART })
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(CHART, file), "utf8");
      return parseAllDocuments(render(file, text, { Values: values, Release: release }));
    })
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as Record<string, unknown> | null;
    })
    .filter((object) => object !== null);
}

const ACTION = /\{\{(-?)\s*(?:(if)\s+)?(?:(end)|(else)|\.([\w.]+)(\s*\|\s*toJson)?)\s*(-?)\}\}/g;

function render(file: string, text: string, scope: Values): string {
  let rendered = "";
  let from = 0;
  /** Whether the branches are rendered, from the outermost `if` to the innermost. */
  const branches: boolean[] = [];
  const append = (plain: string) => {
    if (plain.includes("{{")) throw new Error(`${file}: unknown action in ${plain.trim()}`);
    if (!branches.includes(false)) rendered += plain;
  };
  for (const action of text.matchAll(ACTION)) {
    const [whole, trimsBefore, isIf, isEnd, isElse, path = "", asJson, trimsAfter] = action;
    const plain = text.slice(from, action.index);
    append(trimsBefore ? plain.trimEnd() : plain);
    from = action.index + whole.length;
    if (trimsAfter) from += /^\s*/.exec(text.slice(from))?.[0].length ?? 0;
    if (isElse) {
      const branch = branches.pop();
      if (branch === undefined) throw new Error(`${file}: else without if`);
      branches.push(!branch);
      continue;
    }
    const value = isEnd ? undefined : valueAt(file, path, scope);
    // Go considers empty lists and maps false.
    if (isIf && typeof value === "object") throw new Error(`${file}: if of a list or map: ${path}`);
    if (isIf) branches.push(Boolean(value));
    else if (!isEnd) append(asJson ? JSON.stringify(value) : String(value));
    else if (branches.pop() === undefined) throw new Error(`${file}: end without if`);
  }
  append(text.slice(from));
  if (branches.length > 0) throw new Error(`${file}: if without end`);
  return rendered;
}

/** As in Helm, a field of a missing value is an error. So is a missing value here: values.yaml has them all. */
function valueAt(file: string, path: string, scope: Values): unknown {
  let found: unknown = scope;
  for (const name of path.split(".")) found = (found as Values | undefined)?.[name];
  if (found === undefined) throw new Error(`${file}: ${path} has no value`);
  return found;
}

function merged(defaults: Values, changed: Values): Values {
  const entries = Object.entries(changed).map(([name, value]) => {
    const old = defaults[name];
    const isNested = isObject(old) && isObject(value);
    return [name, isNested ? merged(old, value) : value];
  });
  return { ...defaults, ...Object.fromEntries(entries) };
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
