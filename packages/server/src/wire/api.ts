import type { Methods } from "../rpc/call.ts";
import { HandlerRegistry } from "../rpc/handler-registry.ts";
import type { ServedMethods } from "../rpc/methods.ts";
import type { HttpEndpoint } from "./endpoint.ts";

type EndpointFactory = (methods: Methods) => readonly HttpEndpoint[];

/** Registry of the areas at startup: handlers of the contract's methods, and HTTP endpoints beside them. */
export class Api {
  readonly handlers = new HandlerRegistry();
  readonly #factories: EndpointFactory[] = [];
  #methods: ServedMethods | undefined;

  /** Adds endpoints, which are created once all methods are bound. */
  addEndpoints(factory: EndpointFactory): void {
    this.#factories.push(factory);
  }

  /** Invokes a method from the handler of another one. */
  readonly invoke: ServedMethods["invoke"] = (...call) => {
    if (this.#methods === undefined) throw new Error("methods are invoked before they are served");
    return this.#methods.invoke(...call);
  };

  /** Creates the endpoints, with the methods that are served. */
  serve(methods: ServedMethods): HttpEndpoint[] {
    this.#methods = methods;
    return this.#factories.flatMap((factory) => factory(methods));
  }
}
