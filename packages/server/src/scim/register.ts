import type { Settings } from "../config/settings.ts";
import type { Api } from "../wire/api.ts";
import { scimEndpoints } from "./endpoint.ts";
import type { ScimDeps } from "./status.ts";
import { scimMethods } from "./tokens.ts";

/** Registers the SCIM endpoint, and the methods that manage its tokens. */
export function registerScim(
  api: Api,
  deps: Omit<ScimDeps, "writesPerMinute"> & { readonly settings: Settings },
): void {
  const scim = { ...deps, writesPerMinute: deps.settings.scimWritesPerMinute };
  api.handlers.bindAll(scimMethods(scim));
  api.addEndpoints(() => scimEndpoints(scim));
}
