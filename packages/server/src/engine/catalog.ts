import type { Group } from "@wharf/contract";
import type { Access } from "../auth/access.ts";
import type { Store } from "../store/db/store.ts";
import type { Resource } from "./resource.ts";

/**
 * Every resource of the installation, by name. The list of definitions in app/resources.ts adds its
 * members to this type, so code that gets a catalog refers to any resource without importing the area
 * that defines it. The engine itself needs groups alone: the tree that all other resources hang on.
 */
export interface Catalog {
  readonly groups: Resource<Group>;
}

/** The resources of a catalog as a list. */
export function resourcesOf(catalog: Catalog): readonly Resource[] {
  return Object.values(catalog) as Resource[];
}

/** The resources, and the store that has them. */
export interface ResourceStore {
  readonly store: Store;
  readonly catalog: Catalog;
}

/** The same with access to them. */
export interface ResourceAccess extends ResourceStore {
  readonly access: Access;
}
