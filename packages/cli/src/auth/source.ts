import { unauthenticated } from "../errors.ts";
import type { Environment, Settings } from "../settings.ts";

/** Where tokens come from: the interface of @wharf/client. Asked before every call. */
export interface TokenSource {
  get(request: { audience?: string | undefined; force?: boolean | undefined }): Promise<{
    readonly token: string;
    readonly expires?: Date | undefined;
  }>;
}

/**
 * The one place that knows where tokens come from: the variable WHARF_TOKEN, else a login.
 *
 * @example const { token } = await tokenSource(settings, process.env).get({});
 */
export function tokenSource(_settings: Settings, environment: Environment): TokenSource {
  const token = environment.WHARF_TOKEN?.trim();
  if (token) return { get: async () => ({ token }) };
  return {
    async get() {
      throw unauthenticated("you are not logged in");
    },
  };
}
