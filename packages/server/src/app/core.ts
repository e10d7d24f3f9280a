import { Access } from "../auth/access.ts";
import { Authenticator } from "../auth/authenticator.ts";
import { SigningKeys } from "../auth/keys.ts";
import { TokenVerifier } from "../auth/token.ts";
import {
  type Addresses,
  addressesOf,
  publishAddresses,
  servesThisMachineOnly,
} from "../config/addresses.ts";
import type { Settings } from "../config/settings.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { EngineLimits } from "../engine/limits.ts";
import { PageTokens } from "../engine/list/page-token.ts";
import type { EventNames } from "../events/cloud-event.ts";
import { SinkPolicy } from "../events/subscriptions/sink-policy.ts";
import { storeAnonymousIdentity } from "../iam/anonymous-identity.ts";
import { storeBuiltinRoles } from "../iam/builtin-roles.ts";
import { TokenSealer } from "../lib/crypto/token-sealer.ts";
import type { Logger } from "../observe/logger.ts";
import type { Metrics } from "../observe/metrics.ts";
import { scimStatus } from "../scim/status.ts";
import { InstallationSecrets } from "../secrets/installation-secrets.ts";
import { Secrets } from "../secrets/secrets.ts";
import type { Store } from "../store/db/store.ts";
import { registryHosts } from "../sts/audiences.ts";
import { IssuerPolicy } from "../sts/issuers/issuer-policy.ts";
import { RESOURCES } from "./resources.ts";

/** Shared services of all areas. Each area declares the members that it needs. */
export interface Core extends Engine {
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly installation: InstallationSecrets;
  readonly keys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly authenticator: Authenticator;
  readonly issuerPolicy: IssuerPolicy;
  readonly sinkPolicy: SinkPolicy;
  addresses(): Addresses;
  /** Names of the installation in its events. */
  eventNames(): EventNames;
  /** Publishes the addresses, which the URL of the port completes. */
  publishAddresses(url: string): Promise<void>;
}

/** Opens secrets and keys, stores what every installation has, and builds access and the engine. */
export async function openCore(
  settings: Settings,
  store: Store,
  metrics: Metrics,
  log: Logger,
  limits: EngineLimits | undefined,
): Promise<Core> {
  const secrets = await Secrets.open(settings, store);
  const installation = await InstallationSecrets.open(store, secrets);
  const keys = await SigningKeys.load(store, secrets, {
    others: [installation],
    rs256Audiences: settings.rs256Audiences,
  });
  await storeBuiltinRoles(store, Date.now());
  await storeAnonymousIdentity(store, Date.now());

  // Complete once the port is open. No token is issued before.
  let current = addressesOf(settings, "");
  const addresses = () => current;
  const { localAccounts, rootGroups } = settings;
  const onLoopback = servesThisMachineOnly(settings);
  const issuerPolicy = new IssuerPolicy({ ...settings, onLoopback });
  const sinkPolicy = new SinkPolicy({ ...settings, onLoopback });
  const eventNames = () => {
    const { eventTypePrefix: typePrefix, registryHost } = settings;
    return { typePrefix, registryHost, baseUrl: current.baseUrl };
  };
  const access = new Access({ store, resources: RESOURCES, localAccounts });
  const engine = createEngine({
    store,
    catalog: RESOURCES,
    access,
    pageTokens: new PageTokens(() => installation.get("page-tokens")),
    responseSealer: new TokenSealer(() => installation.get("idempotency-keys"), "responses"),
    ...(limits && { limits }),
    hooks: {
      iam: {
        rootGroups,
        secrets,
        issuerPolicy,
        scimStatus: (reader, provider, now) => scimStatus(reader, { addresses }, provider, now),
      },
      events: { secrets, sinkPolicy, names: eventNames },
      vulnerabilitySources: { secrets, policy: sinkPolicy },
      upstreams: { secrets, policy: sinkPolicy },
      registry: {
        hosts: () => registryHosts(settings, current.baseUrl),
        attached: [...settings.registryUrls.keys()],
      },
    },
  });
  const verifier = new TokenVerifier(keys, addresses);
  const authenticator = new Authenticator(store, keys, verifier, (uid, session) =>
    access.find(uid, undefined, session),
  );
  metrics.watchCache("token", verifier);
  metrics.watchCache("access", authenticator);
  metrics.watchCostlyReads(store.costlyReads);
  return {
    settings,
    ...engine,
    metrics,
    log,
    secrets,
    installation,
    keys,
    verifier,
    authenticator,
    issuerPolicy,
    sinkPolicy,
    addresses,
    eventNames,
    async publishAddresses(url) {
      current = addressesOf(settings, url);
      await publishAddresses(store, current);
    },
  };
}
