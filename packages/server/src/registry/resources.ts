import { repos } from "./repos/repos.ts";
import { tags } from "./tags/tags.ts";

/** Every resource of this part of the contract. A new one is added here. */
export const RESOURCES = { repos, tags };
