import { contentOf, type Operation, type Parameter } from "./document.ts";

/** The name of a parameter's control. */
export function keyOf({ in: location, name }: Parameter): string {
  return `${location}:${name}`;
}

/** The HTTP request of an operation with the values of its form, by the names of the controls. */
export function requestOf(
  operation: Operation,
  values: Readonly<Record<string, string>>,
  token: string | undefined,
): { readonly url: string; readonly headers: Headers; readonly body: string | undefined } {
  const query = new URLSearchParams();
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` });
  let { path } = operation;
  for (const parameter of operation.parameters) {
    const value = (values[keyOf(parameter)] ?? "").trim();
    const { name, in: location, schema } = parameter;
    if (location === "path") {
      // The slashes of a uid are part of the path.
      const encoded = value.split("/").map(encodeURIComponent).join("/");
      path = path.replace(`{${name}}`, () => encoded);
    } else if (value === "") continue;
    else if (location === "header") headers.set(name, value);
    else {
      const items = schema?.type === "array" ? value.split(/[\s,]+/).filter(Boolean) : [value];
      for (const item of items) query.append(name, item);
    }
  }
  const { body } = values;
  const type = contentOf(operation.requestBody?.content)?.type;
  if (body !== undefined && type !== undefined) headers.set("content-type", type);
  return { url: query.size === 0 ? path : `${path}?${query}`, headers, body };
}

/** Indents JSON; other texts stay. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
