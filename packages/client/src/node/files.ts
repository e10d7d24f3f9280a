import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { environment, GITLAB_VARIABLE, githubActions, gitlab, none } from "../tokens/platforms.ts";
import { type TokenSource, withExpiry } from "../tokens/source.ts";

/**
 * The token in a file. Read for every call, so a new one is used as soon as it is there.
 *
 * @example tokens.file("/run/secrets/wharf-token")
 */
export function file(path: string): TokenSource {
  return {
    async get() {
      const text = await readFile(path, "utf8").catch((cause) => {
        throw none(`${path} cannot be read (${cause.code})`, cause);
      });
      const token = text.trim();
      if (token === "") throw none(`${path} is empty`);
      return withExpiry(token);
    },
  };
}

/** Where to project a token to, unless told otherwise. */
const KUBERNETES_PATH = "/var/run/secrets/tokens/wharf";

export interface KubernetesOptions {
  /** Where the token is projected to. Default: /var/run/secrets/tokens/wharf. */
  readonly path?: string | undefined;
}

/**
 * The token of a service account that Kubernetes projects into a pod, and replaces in time.
 *
 * @example tokens.exchange({ authUrl, identity, from: tokens.kubernetes() })
 */
export function kubernetes({ path = KUBERNETES_PATH }: KubernetesOptions = {}): TokenSource {
  return file(path);
}

/**
 * The token of the platform that this process runs on; undefined where it is none that we know.
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
