import { repos } from "./repos/repos.ts";
import { tags } from "./tags/tags.ts";

/*
 * This folder is the registry area: repos and tags, access tokens for attached registries, and the sync
 * with these registries. It may import engine/, store/, auth/, sts/ and lib/; other areas use only what
 * app/ hands to them, and `resolvePath`.
 */

/** The resources of this area. A new one is added here. */
export const RESOURCES = { repos, tags };
