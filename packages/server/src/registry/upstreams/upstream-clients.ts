import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Upstream } from "@wharf/contract";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import type { HostLookup } from "../../lib/net/host-lookup.ts";
import type { Logger } from "../../observe/logger.ts";
import type { Metrics } from "../../observe/metrics.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { Store } from "../../store/db/store.ts";
import { recordRequest } from "../../store/tables/registry/upstream-states.ts";
import type { Credentials } from "../client/authorization.ts";
import { RemoteRegistry } from "../client/remote.ts";
import { UpstreamClient, type UpstreamOutcome } from "../client/upstream-client.ts";
import { UPSTREAM_PASSWORD } from "./definition.ts";
import type { UpstreamPolicy } from "./deps.ts";

/** Clients that are kept. */
const MAX_CLIENTS = 1_000;

/** Outcomes are recorded so often, unless they change between success and failure. */
const RECORD_INTERVAL_MS = 60_000;

const MAX_ERROR_LENGTH = 500;

export interface UpstreamClientsDeps {
  readonly store: Store;
  readonly secrets: Secrets;
  readonly policy: UpstreamPolicy;
  readonly hosts?: HostLookup | undefined;
  /** From a request to its answer. */
  readonly timeoutMs: number;
  readonly metrics: Pick<Metrics, "count" | "watchGauge">;
  readonly log: Logger;
}

/** The client of an upstream as it is configured now. */
export interface ConnectedUpstream {
  readonly remote: RemoteRegistry;
  readonly client: UpstreamClient;
  /** The requests that the rate limit leaves, as the upstream last said; undefined if it has not. */
  rate: number | undefined;
  /** The last outcome that was recorded, and when. */
  recorded: { readonly isFailure: boolean; readonly time: number };
}

/** The clients of upstreams, and the state of their requests. */
export class UpstreamClients {
  readonly #deps: UpstreamClientsDeps;
  readonly #clients = new BoundedCache<string, ConnectedUpstream>({ maxEntries: MAX_CLIENTS });
  readonly #stopping = new AbortController();
  readonly #recording = new Set<Promise<void>>();
  /** By host: the last that each has said. */
  readonly #rates = new Map<string, number>();

  constructor(deps: UpstreamClientsDeps) {
    this.#deps = deps;
    const help = "Requests that the rate limit of an upstream leaves: the fewest of all hosts.";
    deps.metrics.watchGauge("wharf_registry_upstream_rate_limit_remaining", help, () =>
      this.#rates.size === 0 ? undefined : Math.min(...this.#rates.values()),
    );
  }

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** A changed upstream gets another client, without the tokens of the former one. */
  of(upstream: Upstream): ConnectedUpstream {
    const { uid, updateTime } = upstream;
    const key = `${uid}@${updateTime === undefined ? 0 : timestampMs(updateTime)}`;
    const cached = this.#clients.get(key);
    if (cached !== undefined) return cached;
    const { policy, hosts, timeoutMs } = this.#deps;
    const client = new UpstreamClient({
      url: upstream.url,
      mayBePrivate: (url) => policy.mayBePrivate(url),
      hosts,
      timeoutMs,
      credentials: () => this.#credentialsOf(upstream),
      observe: (outcome) => this.#observe(uid, connected, outcome),
      signal: this.signal,
    });
    const connected: ConnectedUpstream = {
      ...{ client, remote: new RemoteRegistry(client.host, client), rate: undefined },
      recorded: { isFailure: false, time: 0 },
    };
    this.#clients.set(key, connected);
    return connected;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#recording);
  }

  async #credentialsOf({ uid, username, hasPassword }: Upstream): Promise<Credentials | undefined> {
    if (!hasPassword) return undefined;
    const { secrets, store } = this.#deps;
    const password = await secrets.get(store.reader, uid, UPSTREAM_PASSWORD);
    return password === undefined ? undefined : { username, password };
  }

  #observe(uid: string, connected: ConnectedUpstream, { error, rate }: UpstreamOutcome): void {
    const isFailure = error !== "";
    const { metrics, store, log } = this.#deps;
    const { host } = connected.client;
    const outcome = isFailure ? "failed" : "answered";
    metrics.count("wharf_registry_upstream_requests_total", { outcome });
    if (rate !== undefined) {
      connected.rate = rate;
      this.#rates.set(host, rate);
    }
    const time = Date.now();
    const { recorded } = connected;
    if (recorded.isFailure === isFailure && time - recorded.time < RECORD_INTERVAL_MS) return;
    connected.recorded = { isFailure, time };
    if (isFailure) log.warn({ upstream: uid, problem: error }, "a request to an upstream failed");
    const row = { time, error: error.slice(0, MAX_ERROR_LENGTH), rate: connected.rate ?? -1 };
    const written = store
      .write((tx) => recordRequest(tx, uid, row))
      .catch((cause) => log.error({ err: cause }, "the state of an upstream was not recorded"))
      .finally(() => this.#recording.delete(written));
    this.#recording.add(written);
  }
}
