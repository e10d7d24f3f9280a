import type { Api } from "../wire/api.ts";
import type { FeedAccess } from "./feeds/access.ts";
import { feedEndpoints } from "./feeds/feeds.ts";
import { openSigner } from "./feeds/signer.ts";
import { type ImportDeps, importHandlers } from "./import/imports.ts";
import { advisoryV1Handlers } from "./v1/v1.ts";

/** Registers the import of advisories, their version 1, and their feeds. */
export async function registerVulnerabilities(
  api: Api,
  deps: FeedAccess & ImportDeps,
): Promise<void> {
  const signer = await openSigner(deps.settings.csafOpenpgpKey);
  api.handlers.bindAll(advisoryV1Handlers(deps));
  api.handlers.bindAll(importHandlers(deps));
  api.addEndpoints(() => feedEndpoints(deps, signer));
}
