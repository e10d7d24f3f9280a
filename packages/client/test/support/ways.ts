import { createWharf, type Transport, type Wharf, type WharfOptions } from "@wharf/client";
import { grpcTransport } from "@wharf/client/node";
import { restTransport } from "../../src/rest/transport.ts";

export type Way = "REST" | "gRPC";

/** Both ways to call, for what must hold on each. */
export const WAYS: readonly Way[] = ["REST", "gRPC"];

export function transportOf(way: Way): Transport {
  return way === "REST" ? restTransport((url, init) => fetch(url, init)) : grpcTransport();
}

/** A client that notes each method it calls. */
export interface Noting {
  readonly wharf: Wharf;
  readonly as: (token: string) => Wharf;
  /** `package.Service.Method`. */
  readonly called: Set<string>;
}

/**
 * @example const { wharf, called } = noting("gRPC", { baseUrl: server.url, token });
 */
export function noting(way: Way, options: WharfOptions): Noting {
  const called = new Set<string>();
  const inner = transportOf(way);
  const transport: Transport = {
    send(attempt, sent) {
      called.add(`${attempt.method.parent.typeName}.${attempt.method.name}`);
      return inner.send(attempt, sent);
    },
  };
  const as = (token: string) => createWharf({ ...options, transport, token });
  return { wharf: createWharf({ ...options, transport }), as, called };
}
