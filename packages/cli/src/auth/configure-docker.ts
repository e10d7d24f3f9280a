import { join } from "node:path";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import type { configureDockerDefinition } from "./commands.ts";
import {
  type DockerConfig,
  dockerText,
  HELPER,
  readDockerConfig,
  withHelper,
  writeDockerConfig,
} from "./docker/config-file.ts";
import { dockerFolder } from "./docker/home.ts";
import { registriesOf, registryOf } from "./docker/registries.ts";

export const run: Run<typeof configureDockerDefinition> = async (context, args) => {
  const { settings, environment, err, out } = context;
  const configured = registriesOf(settings);
  const registries = args.registry.length > 0 ? args.registry.map(checkHost) : configured;
  const path = join(dockerFolder(environment), "config.json");
  const before = readDockerConfig(path);
  const after = withHelper(before, registries);
  for (const host of registries) tellReplaced(context, host, before);
  if (args.dryRun) return out.text(dockerText(after).trimEnd());
  writeDockerConfig(path, after);
  err.note(`docker asks wharf for ${registries.join(", ")} (${path})`);
  await remember(context, registries, configured);
};

function tellReplaced({ err }: Context, host: string, { credHelpers }: DockerConfig): void {
  const other = credHelpers?.[host];
  if (other !== undefined && other !== HELPER) err.warn(`${host} was left to ${other} before`);
}

/** The helper answers for the registries of the config file alone. */
async function remember(
  { settings: { config }, err }: Context,
  registries: readonly string[],
  configured: readonly string[],
): Promise<void> {
  const missing = registries.filter((host) => registryOf(host, configured) === undefined);
  if (missing.length === 0) return;
  const kept = config.get("platform.registry") === undefined ? [] : configured;
  const { writeConfig } = await import("../config/file.ts");
  await writeConfig(config.with("platform.registry", [...kept, ...missing].join(",")));
  err.note(`platform.registry in ${config.path} names ${missing.join(", ")} now`);
}

function checkHost(text: string): string {
  const url = URL.parse(`https://${text}`);
  const isHost = url !== null && url.host === text.toLowerCase() && url.host !== "";
  if (!isHost) throw usageError(`--registry must be a host, such as cr.example.com, not "${text}"`);
  return url.host;
}
