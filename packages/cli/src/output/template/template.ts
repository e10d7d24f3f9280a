import { textOf, toJson } from "../columns.ts";
import { FUNCTIONS, isTrue } from "./functions.ts";
import { type Expression, type Part, parseTemplate } from "./parse.ts";

/** Formats an item. */
export type Template = (item: object) => string;

/** Compiles a Go-style template with fields, `if`, `range` and a few functions. */
export function compileTemplate(text: string): Template {
  const parts = parseTemplate(text);
  return (item) => {
    const root: unknown = JSON.parse(toJson(item));
    return render(parts, { root, dot: root });
  };
}

interface Scope {
  readonly root: unknown;
  /** The value of `.`: the item, or an element within `range`. */
  readonly dot: unknown;
}

function render(parts: readonly Part[], scope: Scope): string {
  return parts.map((part) => renderPart(part, scope)).join("");
}

function renderPart(part: Part, scope: Scope): string {
  if (part.kind === "text") return part.text;
  const value = evaluate(part.value, scope);
  if (part.kind === "print") return textOf(value);
  if (!isTrue(value)) return render(part.otherwise, scope);
  if (part.kind === "if") return render(part.then, scope);
  const elements = typeof value === "object" ? Object.values(value as object) : [value];
  return elements.map((dot) => render(part.then, { ...scope, dot })).join("");
}

function evaluate(expression: Expression, scope: Scope): unknown {
  switch (expression.kind) {
    case "value":
      return expression.value;
    case "field":
      return fieldOf(expression.fromRoot ? scope.root : scope.dot, expression.path);
    case "call":
      return FUNCTIONS[expression.name]?.call(
        ...expression.values.map((value) => evaluate(value, scope)),
      );
  }
}

/** Unset fields are empty: the API omits them. */
function fieldOf(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name))
      return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
