import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { Handler } from "./call.ts";

/**
 * The handlers of methods, by descriptor. Each method has exactly one: a second one, or none, stops
 * the startup.
 */
export class HandlerRegistry {
  readonly #handlers = new Map<DescMethod, Handler>();

  bind(method: DescMethod, handler: Handler): void {
    if (this.#handlers.has(method)) throw new Error(`${nameOf(method)} is bound twice`);
    this.#handlers.set(method, handler);
  }

  bindAll(handlers: Iterable<readonly [DescMethod, Handler]>): void {
    for (const [method, handler] of handlers) this.bind(method, handler);
  }

  /** All handlers, once every method of these services has one. */
  handlersOf(services: readonly DescService[]): ReadonlyMap<DescMethod, Handler> {
    const methods = services.flatMap((service) => service.methods);
    const unbound = methods.filter((method) => !this.#handlers.has(method));
    if (unbound.length > 0) {
      throw new Error(`methods without a handler: ${unbound.map(nameOf).join(", ")}`);
    }
    return this.#handlers;
  }
}

function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
