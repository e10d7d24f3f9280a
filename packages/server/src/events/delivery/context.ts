import { parentOf, type Subscription, SubscriptionState } from "@wharf/contract";
import type { SigningKeys } from "../../auth/keys.ts";
import { PinnedClient } from "../../delivery/pinned-client.ts";
import type { DeliveryTimes } from "../../delivery/times.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { HostLookup } from "../../lib/net/host-lookup.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { EventNames } from "../cloud-event.ts";
import { capabilitiesFor, missingOf } from "../rights.ts";
import { subscriptions } from "../subscriptions/definition.ts";
import { signingSecrets } from "../subscriptions/secrets.ts";
import type { SinkPolicy } from "../subscriptions/sink-policy.ts";
import type { WebhookSigner } from "./signing.ts";

/** Previous secrets end while nothing else changes: what was read is used no longer than this. */
const FRESH_MS = 60_000;

export interface ContextDeps extends ResourceAccess {
  readonly keys: SigningKeys;
  readonly secrets: Secrets;
  readonly signer: WebhookSigner;
  readonly sinkPolicy: SinkPolicy;
  readonly times: DeliveryTimes;
  readonly hosts?: HostLookup | undefined;
  names(): EventNames;
}

/** A subscription as its sender needs it. */
export interface Current {
  readonly subscription: Subscription;
  readonly group: string;
  readonly client: PinnedClient;
  readonly secrets: readonly Buffer[];
}

/** Why a subscription gets nothing now. */
export type Inactive = { readonly lacks: readonly string[] } | "stopped";

/**
 * The current state of a subscription: read again as soon as access changes anywhere, so a sender never uses a sink, a
 * secret or a right that is gone.
 */
export class SubscriptionContext {
  readonly #deps: ContextDeps;
  readonly #uid: string;
  #version = -1;
  #readAt = 0;
  #current: Current | Inactive = "stopped";

  constructor(deps: ContextDeps, uid: string) {
    this.#deps = deps;
    this.#uid = uid;
  }

  async current(): Promise<Current | Inactive> {
    const version = await this.#deps.store.accessVersion();
    const now = performance.now();
    if (version !== this.#version || now - this.#readAt > FRESH_MS) {
      this.#current = await this.#read();
      this.#version = version;
      this.#readAt = now;
    }
    return this.#current;
  }

  close(): void {
    if (isActive(this.#current)) this.#current.client.close();
  }

  async #read(): Promise<Current | Inactive> {
    const { access, store, keys, secrets, names } = this.#deps;
    const { reader } = store;
    const before = this.#current;
    await keys.reloadIfChanged();
    const subscription = await subscriptions.find(reader, this.#uid);
    if (subscription?.state !== SubscriptionState.ACTIVE) {
      this.close();
      return "stopped";
    }
    const group = parentOf(this.#uid);
    const needed = capabilitiesFor(subscription.filters, names());
    const grants = await access.grantsOf(subscription.authorizedBy);
    const lacks = missingOf(grants, group, needed);
    if (lacks.length > 0) {
      this.close();
      return { lacks };
    }
    const { sink, maxConcurrency } = subscription;
    const isSame =
      isActive(before) &&
      before.subscription.sink === sink &&
      before.subscription.maxConcurrency === maxConcurrency;
    if (!isSame) this.close();
    return {
      subscription,
      group,
      client: isSame ? before.client : this.#connect(sink, maxConcurrency),
      secrets: await signingSecrets(secrets, reader, this.#uid, Date.now()),
    };
  }

  #connect(sink: string, maxConnections: number): PinnedClient {
    const { sinkPolicy, times, hosts } = this.#deps;
    const url = new URL(sink);
    const anywhere = sinkPolicy.mayBePrivate(url);
    const { timeoutMs } = times;
    return new PinnedClient(url, { anywhere, timeoutMs, maxConnections, hosts });
  }
}

export function isActive(context: Current | Inactive): context is Current {
  return typeof context === "object" && "client" in context;
}
