/**
 * Renders the Helm chart without Helm, which is not to be had everywhere. The chart keeps to fields, `if`, `range` and
 * `toJson`, which mean the same here: the command's own templates are a part of Go's.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { compileTemplate } from "../../packages/cli/src/output/template/template.ts";
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
      requireValues(file, text, values);
      const template = compileTemplate(text.replaceAll("| toJson", "| json"));
      return parseAllDocuments(template({ Values: values, Release: release }));
    })
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as Record<string, unknown> | null;
    })
    .filter((object) => object !== null);
}

/** Helm fails for fields of missing values; templates of the command print nothing. */
function requireValues(file: string, text: string, values: Values): void {
  for (const [, path = ""] of text.matchAll(/\.Values\.([\w.]+)/g)) {
    let found: unknown = values;
    for (const name of path.split(".")) found = (found as Values | undefined)?.[name];
    if (found === undefined) throw new Error(`${file}: values.yaml has no ${path}`);
  }
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
