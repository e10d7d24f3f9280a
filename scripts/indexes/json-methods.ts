import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { ROOT } from "../step.ts";
import { type ContractFile, camelCase, GENERATED } from "./contract-files.ts";
import { HEADER } from "./header.ts";

/** The part of the contract that is read here; loaded when it is generated. */
interface Options {
  httpRulesOf(method: DescMethod): readonly { verb: string; path: string; body: string }[];
  fieldBehavior(field: DescMessage["fields"][number]): { readonly required: boolean };
}

type ShortName = (method: string, service: string) => string;

/** The module with the routes of all services as JSON methods: property, then short name of the method. */
export async function jsonMethods(
  files: readonly ContractFile[],
  properties: ReadonlyMap<string, string>,
): Promise<string> {
  const load = <Module>(path: string) =>
    import(pathToFileURL(join(ROOT, path)).href) as Promise<Module>;
  const options = await load<Options>("packages/contract/src/options.ts");
  const { shortName } = await load<{ shortName: ShortName }>("packages/client/src/short-name.ts");
  const services: string[] = [];
  for (const { path, namespace, services: declared } of files) {
    const module = await load<Record<string, DescService>>(`${GENERATED}/${path}`);
    for (const { name, typeName } of declared) {
      const property = properties.get(typeName);
      if (property === undefined) continue;
      const methods = (module[name] as DescService).methods.flatMap((method) => {
        const route = routeOf(method, options);
        if (route === undefined) return [];
        const types = `${typeOf(method.input, namespace)}, ${typeOf(method.output, namespace)}`;
        return [`    ${shortName(method.localName, property)}: method<${types}>(${route}),`];
      });
      services.push(`  ${property}: {`, ...methods, "  },");
    }
  }
  return [
    `${HEADER}\nimport type * as M from "@wharf/contract/messages";`,
    `import type * as W from "@bufbuild/protobuf/wkt";`,
    `import { method } from "../src/json/method.ts";`,
    "",
    "export const JSON_SERVICES = {",
    ...services,
    "} as const;\n",
  ].join("\n");
}

/** Messages of Google have their types in the library, those of version 1 in a namespace. */
function typeOf({ typeName }: DescMessage, namespace: string | undefined): string {
  const short = typeName.replace(/^(?:[a-z0-9_]+\.)+/, "").replaceAll(".", "_");
  return typeName.startsWith("google.protobuf.")
    ? `W.${short}Json`
    : `M.${namespace === undefined ? "" : `${namespace}.`}${short}Json`;
}

/** The arguments that declare the route of a method; undefined if it has none. */
function routeOf(method: DescMethod, options: Options): string | undefined {
  const [rule] = options.httpRulesOf(method);
  if (rule === undefined) return undefined;
  const path = rule.path.replace(/\{([a-z0-9_.]+)(?:=\*\*?)?\}/g, (_, variable: string) => {
    const field = method.input.fields.find(({ name }) => name === variable);
    const isOptional = field !== undefined && !options.fieldBehavior(field).required;
    return `{${camelCase(variable)}${isOptional ? "?" : ""}}`;
  });
  const body = rule.body === "" ? [] : [camelCase(rule.body)];
  return [rule.verb, path, ...body].map((one) => JSON.stringify(one)).join(", ");
}
