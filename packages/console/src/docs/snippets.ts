import { JSON_SERVICES, type JsonMethod } from "@wharf/client/json";
import { shellQuoted } from "../ui/shell-word.ts";
import { contentOf, exampleText, type Operation } from "./document.ts";

/** Examples of a request, by tool. */
export interface Snippets {
  readonly curl: string;
  /** Absent for operations that the client does not have. */
  readonly typescript?: string;
  readonly cli: string;
}

const API = "https://wharf.example.com";

/** Calls of an operation with the example of the document. */
export function snippetsOf(operation: Operation, origin = API): Snippets {
  const { verb, security = [] } = operation;
  const content = contentOf(operation.requestBody?.content);
  const sent = content === undefined ? "" : exampleText(content);
  const isJson = content?.type.includes("json") ?? false;
  const body = isJson ? content?.example : undefined;
  const path = filledPath(operation);
  const needsToken = security.some((one) => "bearer" in one);
  const curl = [
    `curl${verb === "GET" ? "" : ` -X ${verb}`} '${origin}${path}'`,
    ...(needsToken ? [`-H "Authorization: Bearer $(wharf auth token)"`] : []),
    ...(isJson ? [`-H 'Content-Type: ${content?.type}'`] : []),
    ...(sent === "" ? [] : [`-d ${shellQuoted(isJson ? JSON.stringify(body) : sent)}`]),
  ].join(" \\\n  ");
  const input = body === undefined ? "" : ` --input - <<'END'\n${sent}\nEND`;
  const typescript = clientCall(operation, body);
  return {
    curl,
    ...(typescript !== undefined && { typescript }),
    cli: `wharf api ${verb} ${path}${input}`,
  };
}

/** The path with a name in place of each variable. */
function filledPath({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
}

/** The methods of the client, by verb and path without the names of variables. */
const METHODS = new Map(
  Object.entries(JSON_SERVICES).flatMap(([service, methods]) =>
    Object.entries(methods as Readonly<Record<string, JsonMethod<unknown, unknown>>>).map(
      ([name, method]) => [
        `${method.verb} ${method.path.replaceAll(/\{[^}]*\}/g, "{}")}`,
        { service, name, method },
      ],
    ),
  ),
);

function clientCall({ verb, path }: Operation, body: unknown): string | undefined {
  const found = METHODS.get(`${verb} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`);
  if (found === undefined) return undefined;
  const { service, name, method } = found;
  const request: Record<string, unknown> = {};
  if (method.body === "*") Object.assign(request, body);
  else if (method.body !== "") request[method.body] = body ?? {};
  for (const [, variable = ""] of method.path.matchAll(/\{([\w.]+)\??\}/g)) {
    const [holder = "", leaf] = variable.split(".");
    if (leaf === undefined) request[holder] = "UID";
    else request[holder] = { [leaf]: "UID", ...(request[holder] as object) };
  }
  const text = Object.keys(request).length === 0 ? "" : JSON.stringify(request, null, 2);
  return [
    'import { createWharf } from "@wharf/client";',
    "",
    `const wharf = createWharf({ baseUrl: "${API}", token: process.env.WHARF_TOKEN });`,
    name.startsWith("watch")
      ? `for await (const message of wharf.${service}.${name}(${text})) console.log(message);`
      : `const reply = await wharf.${service}.${name}(${text});`,
  ].join("\n");
}
