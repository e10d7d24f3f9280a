import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  environment,
  GITLAB_VARIABLE,
  githubActions,
  gitlab,
  noToken,
} from "../tokens/platforms.ts";
import { type TokenSource, withExpiry } from "../tokens/source.ts";

/**
 * The token in a file, which is read for every call.
 *
 * @example tokens.file("/run/secrets/wharf-token")
 */
export function file(path: string): TokenSource {
  return {
    async get() {
      const text = await readFile(path, "utf8").catch((cause) => {
        throw noToken(`${path} cannot be read (${cause.code})`, cause);
      });
      const token = text.trim();
      if (token === "") throw noToken(`${path} is empty`);
      return withExpiry(token);
    },
  };
}

/** The default path of the projected token. */
const KUBERNETES_PATH = "/var/run/secrets/tokens/wharf";

export interface KubernetesOptions {
  /** The path of the projected token. Default: /var/run/secrets/tokens/wharf. */
  readonly path?: string | undefined;
}

/**
 * The service account token that Kubernetes projects into a pod and rotates.
 *
 * @example tokens.exchange({ authUrl, identity, from: tokens.kubernetes() })
 */
export function kubernetes({ path = KUBERNETES_PATH }: KubernetesOptions = {}): TokenSource {
  return file(path);
}

/**
 * The token source of the platform that this process runs on; undefined if it is unknown.
 *
 * @example const from = tokens.ambient() ?? tokens.file(path);
 */
export function ambient(): TokenSource | undefined {
  const env = environment();
  if (env.ACTIONS_ID_TOKEN_REQUEST_URL) return githubActions();
  if (env.GITLAB_CI && env[GITLAB_VARIABLE]) return gitlab();
  if (existsSync(KUBERNETES_PATH)) return kubernetes();
  return undefined;
}
