import type { TokenSource } from "@wharf/client";
import { unauthenticated } from "../errors.ts";
import type { Environment, Settings } from "../settings.ts";

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
