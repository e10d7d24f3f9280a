import type { Reader } from "../store/db/connection.ts";
import { type Catalog, resourcesOf } from "./catalog.ts";
import type { HookDeps, Hooks, ResourceMessage } from "./definition.ts";
import type { Resource } from "./resource.ts";

/** The hooks of all definitions. */
export class ResourceHooks {
  readonly #catalog: Catalog;
  readonly #hooks: ReadonlyMap<unknown, Hooks<ResourceMessage>>;

  constructor(catalog: Catalog, deps: HookDeps) {
    this.#catalog = catalog;
    this.#hooks = new Map(
      resourcesOf(catalog).map((resource) => {
        const { hooks = {} } = resource.definition;
        return [resource, typeof hooks === "function" ? hooks(deps) : hooks];
      }),
    );
  }

  /** The hooks of a resource. Throws for one that the catalog lacks: its checks would not run. */
  of<R extends ResourceMessage>(resource: Resource<R>): Hooks<R> {
    const hooks = this.#hooks.get(resource);
    if (hooks === undefined) throw new Error(`${resource.typeName} is not in the catalog`);
    return hooks as Hooks<R>;
  }

  /** Whether responses with a single resource have more than its row. */
  hydrates<R extends ResourceMessage>(resource: Resource<R>): boolean {
    const { hydrate } = resource.definition;
    return hydrate !== undefined || this.of(resource).hydrateDetail !== undefined;
  }

  /** Fills in what is stored elsewhere, for a response with a single resource. */
  async hydrateDetail<R extends ResourceMessage>(
    resource: Resource<R>,
    reader: Reader,
    one: R,
  ): Promise<void> {
    await resource.definition.hydrate?.(reader, [one], this.#catalog);
    await this.of(resource).hydrateDetail?.(reader, one);
  }
}
