import { textOf, toJson } from "../columns.ts";
import { FUNCTIONS, isTrue } from "./functions.ts";
import { type Expression, type Part, parseTemplate } from "./parse.ts";

/** Makes a text of one thing. */
export type Template = (item: object) => string;

/** Compiles a template in the manner of Go's: fields, `if`, `range`, and a few functions. */
export function compileTemplate(text: string): Template {
  const parts = parseTemplate(text);
  return (item) => {
    const root: unknown = JSON.parse(toJson(item));
    return render(parts, { root, here: root });
  };
}

interface Place {
  readonly root: unknown;
  /** What `.` is: the thing, or within `range` one of its elements. */
  readonly here: unknown;
}

function render(parts: readonly Part[], place: Place): string {
  return parts.map((part) => renderPart(part, place)).join("");
}

function renderPart(part: Part, place: Place): string {
  if (part.kind === "text") return part.text;
  const value = evaluate(part.value, place);
  if (part.kind === "print") return textOf(value);
  if (!isTrue(value)) return render(part.otherwise, place);
  if (part.kind === "if") return render(part.then, place);
  const elements = typeof value === "object" ? Object.values(value as object) : [value];
  return elements.map((here) => render(part.then, { ...place, here })).join("");
}

function evaluate(expression: Expression, place: Place): unknown {
  switch (expression.kind) {
    case "value":
      return expression.value;
    case "field":
      return fieldOf(expression.fromRoot ? place.root : place.here, expression.path);
    case "call":
      return FUNCTIONS[expression.name]?.call(
        ...expression.values.map((value) => evaluate(value, place)),
      );
  }
}

/** What is not there is empty: the API leaves out what is not set. */
function fieldOf(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
