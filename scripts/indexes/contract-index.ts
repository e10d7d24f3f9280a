import { type ContractFile, type ContractService, GENERATED } from "./contract-files.ts";
import { HEADER } from "./header.ts";
import { jsonMethods } from "./json-methods.ts";

/**
 * Services of version 1 that have no successor and are not deprecated. They are listed with those of version 2.
 */
const CURRENT_V1 = new Set(["wharf.vulnerabilities.v1.Advisories"]);

/** Properties of the client that do not follow from the name of the service. */
const CLIENT_NAMES: Readonly<Record<string, string>> = { "wharf.oidc.SecurityTokenService": "sts" };

/** The modules that list what the proto files declare: text by path. */
export async function contractIndexes(
  files: readonly ContractFile[],
): Promise<Map<string, string>> {
  const current = files.filter(isCurrent);
  const deprecated = files.filter((file) => !isCurrent(file));
  return new Map([
    [`${GENERATED}/messages.ts`, messages(current)],
    [`${GENERATED}/services.ts`, serviceList("SERVICES", current)],
    [`${GENERATED}/v1.ts`, messages(deprecated) + serviceList("SERVICES_V1", deprecated, "")],
    ["packages/client/gen/services.ts", clientServices(current)],
    ["packages/client/gen/json.ts", await jsonMethods(current, clientProperties(current))],
  ]);
}

/** The properties of the client, in the order of the generated module. */
export function clientServiceNames(files: readonly ContractFile[]): string[] {
  return clientEntries(files.filter(isCurrent)).map(([name]) => name);
}

function isCurrent({ namespace, services }: ContractFile): boolean {
  return namespace === undefined || services.some(({ typeName }) => CURRENT_V1.has(typeName));
}

function messages(files: readonly ContractFile[]): string {
  const lines = files.map(({ path, namespace }) =>
    namespace === undefined
      ? `export * from "./${path}";`
      : `export * as ${namespace} from "./${path}";`,
  );
  return `${HEADER}\n${lines.join("\n")}\n`;
}

function serviceList(name: string, files: readonly ContractFile[], header = HEADER): string {
  const declared = files.filter(({ services }) => services.length > 0);
  const imports = declared.map(({ path, services }) => importOf(services, `./${path}`));
  const names = declared.flatMap(({ services }) => services.map((service) => service.name));
  return [
    `${header}\nimport type { DescService } from "@bufbuild/protobuf";`,
    ...imports,
    "",
    `export const ${name}: readonly DescService[] = Object.freeze([`,
    ...names.map((each) => `  ${each},`),
    "]);\n",
  ].join("\n");
}

function importOf(services: readonly ContractService[], path: string): string {
  return `import { ${services.map(({ name }) => name).join(", ")} } from "${path}";`;
}

function clientServices(files: readonly ContractFile[]): string {
  const entries = clientEntries(files);
  const imported = [...new Set(entries.map(([, value]) => value.split(".")[0] ?? ""))].sort();
  return [
    `${HEADER}\nimport {`,
    ...imported.map((name) => `  ${name},`),
    `} from "@wharf/contract/messages";`,
    "",
    "export const CLIENT_SERVICES = {",
    ...entries.map(([name, value]) => `  ${name}: ${value},`),
    "} as const;\n",
  ].join("\n");
}

/** Properties of the client with the expressions of their services. */
function clientEntries(files: readonly ContractFile[]): [property: string, service: string][] {
  return files.flatMap(({ namespace, services }) =>
    services.map(({ name, typeName }): [string, string] => {
      const short = name.replace(/Service$/, "");
      const property = CLIENT_NAMES[typeName] ?? short.charAt(0).toLowerCase() + short.slice(1);
      return namespace === undefined ? [property, name] : [`${property}V1`, `${namespace}.${name}`];
    }),
  );
}

/** The properties of the client by the type names of their services. */
function clientProperties(files: readonly ContractFile[]): Map<string, string> {
  const names = files.flatMap(({ services }) => services.map(({ typeName }) => typeName));
  return new Map(clientEntries(files).map(([property], at) => [names[at] ?? "", property]));
}
