import type { RegistryAddress } from "@wharf/server/registry/client/authorization.ts";
import { usageError } from "../../errors.ts";

export type { RegistryAddress };

/** Repositories of a registry. */
export interface ImageName {
  readonly registry: RegistryAddress;
  /** A repository; with `isPrefix`, the folder of repositories, or empty for all. */
  readonly path: string;
  readonly tag?: string;
  readonly isPrefix: boolean;
}

/** Path components and tags of the OCI distribution specification. Registries may send anything as a name. */
const REPOSITORY =
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;

/** `[http://]HOST/PATH[:TAG]`. A host has a dot, a port, or a scheme before it, as with Docker. */
const NAME = /^(?:(https?):\/\/)?([^/]+)\/(.*?)(?::([^:/]*))?$/;
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/i;

/** The host of Docker Hub in names; its API has another one, and so has its entry in Docker's config. */
export const DOCKER_HUB = "docker.io";
const DOCKER_HUB_URL = "https://registry-1.docker.io";

const FORMS = "give HOST/REPO, HOST/REPO:TAG or HOST/PREFIX/*, such as registry.example.com/acme/*";

export function isRepository(text: string): boolean {
  return REPOSITORY.test(text) && text.length <= 255;
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Reads a name. Throws a usage error for anything else. */
export function readImageName(text: string): ImageName {
  const [, scheme, host = "", rest = "", tag] = NAME.exec(text) ?? [];
  const isHost = scheme !== undefined || /[.:]/.test(host) || LOOPBACK.test(host);
  if (!isHost || !HOST.test(host)) throw invalid(text);
  const registry = addressOf(host.toLowerCase(), scheme);
  const isPrefix = tag === undefined && (rest === "*" || rest.endsWith("/*"));
  const path = isPrefix ? rest.slice(0, -1).replace(/\/$/, "") : rest;
  const isValid = isPrefix && path === "" ? true : isRepository(path);
  if (!isValid || (tag !== undefined && !isTag(tag))) throw invalid(text);
  const isOfficial = registry.host === DOCKER_HUB && !isPrefix && !path.includes("/");
  return {
    registry,
    path: isOfficial ? `library/${path}` : path,
    isPrefix,
    ...(tag !== undefined && { tag }),
  };
}

/** As with Docker, registries on this machine are used without TLS. */
export function addressOf(host: string, scheme?: string): RegistryAddress {
  if (host === DOCKER_HUB) return { host, url: DOCKER_HUB_URL };
  return { host, url: `${scheme ?? (LOOPBACK.test(host) ? "http" : "https")}://${host}` };
}

function invalid(text: string): Error {
  return usageError(`"${text}" is not the name of a repository`, FORMS);
}
