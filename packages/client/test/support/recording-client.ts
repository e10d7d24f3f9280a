/** Clients over each protocol that record which methods they call. */
import { createWharf, type Transport, type Wharf, type WharfOptions } from "@wharf/client";
import { grpcTransport } from "@wharf/client/node";
import { httpTransport } from "../../src/node/http.ts";
import { overFetch } from "../../src/rest/http.ts";
import { restTransport } from "../../src/rest/transport.ts";

/** REST with `fetch`, REST with node:http, gRPC. */
export type Protocol = "REST" | "HTTP" | "gRPC";

/** All protocols, for what must hold on each. */
export const PROTOCOLS: readonly Protocol[] = ["REST", "gRPC", "HTTP"];

export function transportOf(protocol: Protocol): Transport {
  if (protocol === "gRPC") return grpcTransport();
  if (protocol === "HTTP") return httpTransport();
  return restTransport(overFetch((url, init) => fetch(url, init)));
}

/** A client that records each method it calls. */
export interface RecordingClient {
  readonly wharf: Wharf;
  readonly as: (token: string) => Wharf;
  /** `package.Service.Method`. */
  readonly called: Set<string>;
}

/**
 * @example const { wharf, called } = recordingClient("gRPC", { baseUrl: server.url, token });
 */
export function recordingClient(protocol: Protocol, options: WharfOptions): RecordingClient {
  const called = new Set<string>();
  const inner = transportOf(protocol);
  const transport: Transport = {
    send(attempt, sent) {
      called.add(`${attempt.method.parent.typeName}.${attempt.method.name}`);
      return inner.send(attempt, sent);
    },
    async *stream(attempt, sent) {
      called.add(`${attempt.method.parent.typeName}.${attempt.method.name}`);
      yield* inner.stream?.(attempt, sent) ?? [];
    },
  };
  const as = (token: string) => createWharf({ ...options, transport, token });
  return { wharf: createWharf({ ...options, transport }), as, called };
}
