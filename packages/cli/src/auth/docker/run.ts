import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { problemOf } from "../../problem.ts";
import { version } from "../../version.ts";
import type { configureDockerDefinition, dockerCredentialDefinition } from "../commands.ts";
import {
  dockerFolder,
  dockerText,
  HELPER,
  readDockerConfig,
  withHelper,
  writeDockerConfig,
} from "./config-file.ts";
import { registriesOf, registryOf, VERBS } from "./credentials.ts";
import { serversOf } from "./servers.ts";

export const configureDocker: Run<typeof configureDockerDefinition> = async (context, args) => {
  const { settings, environment, err, out } = context;
  const configured = registriesOf(settings);
  const registries = args.registry.length > 0 ? args.registry.map(readHost) : configured;
  const path = join(dockerFolder(environment), "config.json");
  const current = readDockerConfig(path);
  const updated = withHelper(current, registries);
  for (const host of registries) {
    const other = current.credHelpers?.[host];
    if (other !== undefined && other !== HELPER) {
      err.warn(`replaces the credential helper ${other} of ${host}`);
    }
  }
  if (args.dryRun) return out.text(dockerText(updated).trimEnd());
  writeDockerConfig(path, updated);
  err.note(`docker uses wharf as the credential helper of ${registries.join(", ")} (${path})`);
  await addToConfig(context, registries, configured);
};

/** Adds registries to platform.registry: the helper only serves those of the config file. */
async function addToConfig(
  { settings: { config }, environment, err }: Context,
  registries: readonly string[],
  configured: readonly string[],
): Promise<void> {
  const missing = registries.filter((host) => registryOf(host, configured) === undefined);
  if (missing.length === 0) return;
  const { changeConfig } = await import("../../config/file.ts");
  await changeConfig(config, environment, (current) => {
    const hosts = [...(current.get("platform.registry")?.split(",") ?? []), ...missing];
    return current.with("platform.registry", [...new Set(hosts)].join(","));
  });
  err.note(`added ${missing.join(", ")} to platform.registry in ${config.path}`);
}

function readHost(host: string): string {
  const url = URL.parse(`https://${host}`);
  const isHost = url !== null && url.host === host.toLowerCase() && url.host !== "";
  if (!isHost) throw usageError(`--registry must be a host such as cr.example.com, not "${host}"`);
  return url.host;
}

/**
 * Docker's credential helper protocol: the verb is the argument, the input is standard input. Errors
 * go to stdout, where Docker reads them, with exit code 1.
 */
export const dockerCredential: Run<typeof dockerCredentialDefinition> = async (
  _context,
  { words },
) => {
  try {
    const [name = ""] = words;
    if (name === "version") return print(`docker-credential-wharf ${version()}`);
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (verb === undefined || words.length !== 1) {
      throw new Error(`usage: docker-credential-wharf <${Object.keys(VERBS).join("|")}|version>`);
    }
    const servers = await serversOf(process.env);
    const input = name === "list" ? "" : await text(process.stdin);
    const output = await verb(input, servers);
    if (output !== "") print(output);
  } catch (thrown) {
    const { message, hint } = problemOf(thrown);
    print(hint === undefined ? message : `${message}: ${hint}`);
    process.exitCode = 1;
  }
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
