import type { Authenticator } from "../auth/authenticator.ts";
import type { SigningKeys } from "../auth/keys.ts";
import type { Addresses } from "../config/addresses.ts";
import { Leases } from "../delivery/leases.ts";
import { DELIVERY_TIMES, type DeliveryTimes } from "../delivery/times.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import { LogFollower } from "../engine/streams/log-follower.ts";
import type { StreamDeps } from "../engine/streams/streams.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { HostLookup } from "../lib/net/host-lookup.ts";
import { TimeSlices } from "../lib/scheduling/time-slices.ts";
import { FaultLog } from "../observe/fault-log.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { InstallationSecrets } from "../secrets/installation-secrets.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Api } from "../wire/api.ts";
import type { HttpEndpoint } from "../wire/endpoint.ts";
import type { EventNames } from "./cloud-event.ts";
import { Dispatcher } from "./delivery/dispatcher.ts";
import { Matcher } from "./delivery/matcher.ts";
import { deliveryMethods } from "./delivery/methods.ts";
import { Results } from "./delivery/results.ts";
import { WebhookSigner } from "./delivery/signing.ts";
import { DeliveryWorker } from "./delivery/worker.ts";
import { eventMethods } from "./log/methods.ts";
import { EventTail } from "./log/tail.ts";
import { watchMethod } from "./log/watch.ts";
import { subscriptionMethods } from "./subscriptions/methods.ts";
import type { SinkPolicy } from "./subscriptions/sink-policy.ts";

export interface RegisterEventsDeps extends WriteDeps, ListDeps, StreamDeps {
  readonly authenticator: Authenticator;
  readonly keys: SigningKeys;
  readonly secrets: Secrets;
  readonly installation: InstallationSecrets;
  readonly sinkPolicy: SinkPolicy;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly hosts?: HostLookup | undefined;
  addresses(): Addresses;
  eventNames(): EventNames;
}

/** Delivery in the background. */
export interface EventDelivery {
  start(): void;
  /** Ends streams of events, which would not end by themselves. */
  endStreams(): void;
  stop(): Promise<void>;
}

/** Registers subscriptions and their delivery, the log of events, and the keys that receivers verify with. */
export function registerEvents(
  api: Api,
  deps: RegisterEventsDeps,
  times: DeliveryTimes = DELIVERY_TIMES,
): EventDelivery {
  const { secrets, eventNames: names } = deps;
  const { store } = deps;
  const signer = new WebhookSigner(deps);
  const leases = new Leases(store, times);
  const results = new Results(store);
  const slices = new TimeSlices();
  const faults = new FaultLog(deps.log);
  const shared = { ...deps, faults, times, leases };
  const worker = new DeliveryWorker({ ...shared, names, signer, results, slices });
  const dispatched = (uids: readonly string[]) => worker.dispatched(uids);
  const dispatcher = new Dispatcher({
    ...shared,
    store,
    matcher: new Matcher(deps, names),
    dispatched,
  });
  const follower = new LogFollower(store, new EventTail(store.reader), times.pollMs);
  api.handlers.bindAll([
    ...subscriptionMethods(deps, secrets),
    ...deliveryMethods(deps, names, dispatched),
    ...eventMethods(deps, names),
    watchMethod({ ...deps, names, follower }),
  ]);
  api.addEndpoints(() => [keysEndpoint(signer)]);
  return {
    start() {
      dispatcher.start();
      worker.start();
    },
    endStreams: () => follower.end(),
    async stop() {
      follower.end();
      await dispatcher.stop();
      await worker.stop();
      await leases.close();
    },
  };
}

/** Receivers fetch the key rarely; after a rotation they should see the new one soon. */
function keysEndpoint(signer: WebhookSigner): HttpEndpoint {
  return {
    method: "GET",
    path: "/.well-known/webhook-keys.json",
    handle: async () => ({
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
      body: JSON.stringify(await signer.publicKeys()),
    }),
  };
}
