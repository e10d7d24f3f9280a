import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Credentials } from "@wharf/server/registry/client/authorization.ts";
import { dockerFolder, readDockerConfig } from "../../auth/docker/config-file.ts";
import { NOT_FOUND, registryAt, USERNAME } from "../../auth/docker/credentials.ts";
import { serversOf } from "../../auth/docker/servers.ts";
import { tokenFor } from "../../auth/source.ts";
import type { Context } from "../../context.ts";
import { CommandError, EXIT, failed } from "../../errors.ts";
import { isObject } from "../../is-object.ts";
import type { Environment } from "../../settings.ts";
import { DOCKER_HUB } from "./image-name.ts";

/** The key of Docker Hub in Docker's config. */
const DOCKER_HUB_KEY = "https://index.docker.io/v1/";

/**
 * The credentials of the user for a registry: the session for registries of the server and of those of other contexts,
 * else those of Docker. Undefined without any.
 */
export async function credentialsFor(
  host: string,
  context: Context,
): Promise<Credentials | undefined> {
  const session = await sessionFor(host, context);
  return session ?? dockerCredentials(host, context.environment);
}

async function sessionFor(
  host: string,
  { settings, environment, err }: Context,
): Promise<Credentials | undefined> {
  const current = { settings, environment };
  // The registry of a server also accepts tokens for its API.
  if (host === new URL(settings.api).host) {
    return optional(async () => (await tokenFor(settings.api, settings, environment, err)).token);
  }
  const servers = settings.namesServer ? [current] : await serversOf(environment);
  const server = servers.find((each) => registryAt(each, host));
  if (server === undefined) return undefined;
  const audience = registryAt(server, host) as string;
  return optional(
    async () => (await tokenFor(audience, server.settings, server.environment, err)).token,
  );
}

/** Without a session, public images can be read all the same. */
async function optional(token: () => Promise<string>): Promise<Credentials | undefined> {
  try {
    return { username: USERNAME, password: await token() };
  } catch (error) {
    const isSignedOut =
      error instanceof CommandError && error.problem.exitCode === EXIT.unauthenticated;
    if (isSignedOut) return undefined;
    throw error;
  }
}

/** The credentials in Docker's config, or of the credential helper that it names. */
async function dockerCredentials(
  host: string,
  environment: Environment,
): Promise<Credentials | undefined> {
  const config = readDockerConfig(join(dockerFolder(environment), "config.json"));
  const keys = host === DOCKER_HUB ? [DOCKER_HUB_KEY, host] : [host, `https://${host}`];
  for (const key of keys) {
    const helper = config.credHelpers?.[key] ?? config.credsStore;
    const found =
      typeof helper === "string"
        ? await askHelper(helper, key, environment)
        : storedCredentials(isObject(config.auths) ? config.auths[key] : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

function storedCredentials(entry: unknown): Credentials | undefined {
  if (!isObject(entry)) return undefined;
  const { auth, identitytoken } = entry;
  if (typeof identitytoken === "string" && identitytoken !== "") {
    return { username: "<token>", password: identitytoken };
  }
  if (typeof auth !== "string" || auth === "") return undefined;
  const decoded = Buffer.from(auth, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return { username: decoded.slice(0, Math.max(colon, 0)), password: decoded.slice(colon + 1) };
}

/** Docker's credential helper protocol. */
async function askHelper(
  name: string,
  key: string,
  environment: Environment,
): Promise<Credentials | undefined> {
  const program = `docker-credential-${name}`;
  if (!/^[\w.-]+$/.test(name)) throw failed(`Docker's config has an invalid helper: "${name}"`);
  const child = spawn(program, ["get"], {
    env: environment as NodeJS.ProcessEnv,
    stdio: ["pipe", "pipe", "inherit"],
  });
  // A helper may answer without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(key);
  const closed = once(child, "close") as Promise<[number | null]>;
  const [output, [code]] = await Promise.all([text(child.stdout), closed]).catch((error) => {
    throw failed(`the credential helper ${program} cannot be run: ${error.message}`);
  });
  if (code !== 0) {
    if (output.includes(NOT_FOUND)) return undefined;
    throw failed(`the credential helper ${program} failed: ${output.trim().slice(0, 500)}`);
  }
  try {
    const { Username, Secret } = JSON.parse(output);
    return { username: String(Username), password: String(Secret) };
  } catch {
    throw failed(`the credential helper ${program} did not answer with JSON`);
  }
}
