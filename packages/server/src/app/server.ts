import { readFileSync } from "node:fs";
import {
  AccountAssociationsService,
  IdentitiesService,
  ImagesService,
  PingService,
  SERVICES,
  SecurityTokenService,
} from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { Access } from "../auth/access.ts";
import { Authenticator } from "../auth/authenticator.ts";
import { SigningKeys } from "../auth/keys.ts";
import { RefreshTokens } from "../auth/refresh-token.ts";
import { TokenVerifier } from "../auth/token.ts";
import { checkMethod } from "../clouds/check.ts";
import {
  addressesOf,
  hostsOf,
  publishAddresses,
  servesThisMachineOnly,
} from "../config/addresses.ts";
import { ConfigError, type Settings } from "../config/settings.ts";
import { Engine } from "../engine/engine.ts";
import { registerResources } from "../engine/handlers.ts";
import { PageTokens } from "../engine/page-token.ts";
import { Retention } from "../engine/retention.ts";
import { storeAnonymousIdentity } from "../iam/anonymous-identity.ts";
import { storeBuiltinRoles } from "../iam/builtin-roles.ts";
import { portError } from "../lib/startup-errors.ts";
import { loginEndpoints } from "../login/endpoints.ts";
import { loginHandlers } from "../login/handlers.ts";
import { PASSWORD_COST, type PasswordCost, PasswordHasher } from "../login/local/password.ts";
import { createSetupCode, type FirstRun } from "../login/local/setup.ts";
import { Sessions } from "../login/people/sessions.ts";
import { providerExchange } from "../login/providers/provider-exchange.ts";
import { ProviderLogin } from "../login/providers/provider-login.ts";
import { SealedTickets } from "../login/sealed-tickets.ts";
import { type Log, type LogOutput, openLog } from "../observe/logger.ts";
import { Metrics } from "../observe/metrics.ts";
import { requestObserver } from "../observe/requests.ts";
import { storeFailures } from "../observe/store-failures.ts";
import { RegistryKeys } from "../registry/access/keys.ts";
import { registryEndpoints } from "../registry/endpoints.ts";
import { imageConfigMethod } from "../registry/images/image-config.ts";
import { imageHandlers } from "../registry/images/images.ts";
import { RegistrySync } from "../registry/reconcile/registry-sync.ts";
import { settingsHandlers } from "../registry/settings.ts";
import { RemoteTags } from "../registry/tags/remote-tags.ts";
import { TagWrites } from "../registry/tags/tag-writes.ts";
import { HandlerRegistry } from "../rpc/handler-registry.ts";
import { ServedMethods } from "../rpc/methods.ts";
import { scimEndpoints } from "../scim/endpoint.ts";
import { scimStatus } from "../scim/status.ts";
import { scimMethods } from "../scim/tokens.ts";
import { InstallationSecrets } from "../secrets/installation-secrets.ts";
import { Secrets } from "../secrets/secrets.ts";
import { openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import { registryHosts } from "../sts/audiences.ts";
import { exchangeMethod } from "../sts/exchange.ts";
import { IdentityCache } from "../sts/identity-cache.ts";
import { IssuerPolicy } from "../sts/issuers/issuer-policy.ts";
import { Issuers } from "../sts/issuers/issuers.ts";
import { testIdentityMethod } from "../sts/test-identity.ts";
import { deprecationOf } from "../v1/deprecation.ts";
import { V1_EVENT_TRANSLATOR } from "../v1/events.ts";
import { v1Handlers } from "../v1/handlers.ts";
import { UNSUPPORTED_API } from "../v1/unsupported.ts";
import { feedEndpoints } from "../vulnerabilities/feeds/feeds.ts";
import { importHandlers } from "../vulnerabilities/import/imports.ts";
import { resumeSeverities } from "../vulnerabilities/severities/severity-changes.ts";
import { advisoryV1Handlers } from "../vulnerabilities/v1/v1.ts";
import { openPort, type Port, type PortOptions } from "../wire/port.ts";
import { ping } from "./ping.ts";
import { RESOURCES } from "./resources.ts";
import { systemEndpoints } from "./system-endpoints.ts";

/** How long requests may go on after the server was asked to stop. */
const DRAIN_MS = 10_000;

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  /** While there is nobody yet: where the first person begins, and the code that lets them. */
  readonly firstRun: FirstRun | undefined;
  /** Lets what is under way finish, then lets go of everything. */
  stop(): Promise<void>;
}

/** What a server is built on beside its settings; operators cannot choose it. */
export interface ServerOptions {
  /** Opens the store. */
  readonly open?: typeof openStore;
  /** Where log lines are written to; stderr by default. */
  readonly logOutput?: LogOutput;
  /** The cost of password hashes; a low one makes tests fast. */
  readonly passwordCost?: PasswordCost;
}

/** Starts everything, from the store to the port. */
export async function startServer(
  settings: Settings,
  options: ServerOptions = {},
): Promise<RunningServer> {
  const { open = openStore, logOutput, passwordCost = PASSWORD_COST } = options;
  const metrics = new Metrics();
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  const store = await open(settings, tables, metrics);
  try {
    const log = openLog(settings.logLevel, logOutput);
    return await serve(settings, store, metrics, log, new PasswordHasher(passwordCost));
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function serve(
  settings: Settings,
  store: Store,
  metrics: Metrics,
  lines: Log,
  passwords: PasswordHasher,
): Promise<RunningServer> {
  const { log } = lines;
  store.health.observe(storeFailures(log, metrics));
  const secrets = await Secrets.open(settings, store);
  const installation = await InstallationSecrets.open(store, secrets);
  const keys = await SigningKeys.load(store, secrets, [installation]);
  await storeBuiltinRoles(store, Date.now());
  await storeAnonymousIdentity(store, Date.now());

  const pageTokens = new PageTokens(() => installation.get("page-tokens"));
  const policy = new IssuerPolicy({
    ...settings,
    onLoopback: servesThisMachineOnly(settings),
  });
  // Known for certain once the port is open; no token can come before.
  let addresses = addressesOf(settings, "");
  const deps = { settings, addresses: () => addresses };
  const { localAccounts, rootGroups } = settings;
  const access = new Access({ store, resources: RESOURCES, localAccounts });
  const engine = new Engine({
    store,
    catalog: RESOURCES,
    access,
    pageTokens,
    hooks: {
      iam: {
        rootGroups,
        secrets,
        issuerPolicy: policy,
        scimStatus: (reader, provider, now) => scimStatus(reader, deps, provider, now),
      },
      registry: { hosts: () => registryHosts(settings, addresses.baseUrl) },
    },
  });
  const verifier = new TokenVerifier(keys, () => addresses);
  const authenticator = new Authenticator(store, keys, verifier, (uid, session) =>
    access.grantsOf(uid, undefined, session),
  );
  metrics.watchCache("token", verifier);
  metrics.watchCache("access", authenticator);

  const source = { policy, issuers: new Issuers(policy) };
  const identities = new IdentityCache(engine, () => addresses);
  const exchange = { ...deps, engine, keys, verifier, source, identities };
  const refreshTokens = new RefreshTokens(() => installation.get("refresh-tokens"));
  const sessions = new Sessions({ ...deps, engine, keys, refreshTokens });
  const providers = new ProviderLogin({ ...deps, engine, secrets, issuerPolicy: policy });
  const sealed = new SealedTickets(() => installation.get("login-tickets"));
  const login = { ...deps, engine, sessions, providers, sealed, passwords };
  const check = checkMethod({ ...deps, engine, keys });
  const registryKeys = new RegistryKeys(store, secrets);
  const registrySync = RegistrySync.open({
    ...deps,
    engine,
    keys: registryKeys,
    installation,
    metrics,
    log,
  });
  const tagWrites = new TagWrites(engine, new RemoteTags(engine, registrySync.remotes));
  const scim = { ...deps, engine, writesPerMinute: settings.scimWritesPerMinute };
  const handlers = new HandlerRegistry();
  registerResources(handlers, engine);
  handlers.bindAll([
    [PingService.method.ping, ping],
    [
      SecurityTokenService.method.exchange,
      exchangeMethod(exchange, providerExchange(login, source)),
    ],
    [IdentitiesService.method.testIdentity, testIdentityMethod(exchange)],
    [AccountAssociationsService.method.checkAccountAssociation, check],
    ...scimMethods(scim),
    ...loginHandlers(exchange, sessions),
    ...imageHandlers(engine),
    ...registrySync.handlers,
    [ImagesService.method.getImageConfig, imageConfigMethod(engine, registrySync.remotes)],
    ...tagWrites.handlers(),
    ...settingsHandlers(engine),
    ...advisoryV1Handlers(engine),
    ...importHandlers(engine, deps),
  ]);
  const invoke: ServedMethods["invoke"] = (...call) => methods.invoke(...call);
  handlers.bindAll(v1Handlers(invoke, engine, tagWrites));
  const services = [...SERVICES, ...SERVICES_V1];
  const methods: ServedMethods = new ServedMethods(
    services,
    handlers.handlersOf(services),
    authenticator,
    {
      deprecation: deprecationOf(settings, metrics),
      eventTranslator: V1_EVENT_TRANSLATOR,
    },
  );
  let serving = true;
  const port = await portOf(settings, {
    methods,
    unsupported: UNSUPPORTED_API,
    endpoints: [
      ...systemEndpoints({
        addresses: () => addresses,
        store,
        keys,
        metrics,
        serving: () => serving,
      }),
      ...scimEndpoints(scim),
      ...registryEndpoints({ exchange, authenticator, keys: registryKeys }),
      ...registrySync.endpoints,
      ...feedEndpoints({ ...deps, engine, authenticator, identities }),
      ...loginEndpoints(login, methods),
    ],
    cors: { origins: settings.corsOrigins },
    errorDomain: settings.errorDomain,
    health: { serving: () => serving && store.health.failure === undefined },
    observer: requestObserver(lines, metrics),
  });
  addresses = addressesOf(settings, port.url);
  await publishAddresses(store, addresses);
  log.info({ url: port.url, database: store.reader.dialect.name }, "ready");

  registrySync.start();
  const retention = new Retention({ store, settings, metrics, log });
  retention.start();
  store.health.start();
  const stopping = new AbortController();
  const resumed = resumeSeverities(engine, stopping.signal).catch((error) => {
    log.error({ err: error }, "severities of advisories have changed, and their times not yet");
  });
  const firstRun = await createSetupCode({ ...deps, engine }, Date.now());

  return {
    url: port.url,
    firstRun,
    async stop() {
      serving = false;
      await port.close(DRAIN_MS);
      stopping.abort();
      await resumed;
      await retention.stop();
      await registrySync.stop();
      await engine.auditAggregator.flush().catch((error) => {
        log.error({ err: error }, "counted audit entries not written");
      });
      await store.close();
      log.info({}, "stopped");
    },
  };
}

async function portOf(
  settings: Settings,
  options: Omit<PortOptions, "listen" | "tls" | "trustedProxies" | "hosts" | "limits">,
): Promise<Port> {
  const { listen, tlsCert, tlsKey, trustedProxies } = settings;
  const limits = {
    connections: settings.maxConnections,
    connectionsPerNetwork: settings.maxConnectionsPerAddress,
    bodyBytes: settings.maxBodyMemory * 1024 * 1024,
  };
  const tls =
    tlsCert === ""
      ? {}
      : { tls: { cert: readPem("--tls-cert", tlsCert), key: readPem("--tls-key", tlsKey) } };
  try {
    return await openPort({
      listen,
      trustedProxies,
      hosts: hostsOf(settings),
      limits,
      ...tls,
      ...options,
    });
  } catch (error) {
    throw portError(`${listen.host}:${listen.port}`, error);
  }
}

function readPem(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${flag} cannot be read: ${(error as Error).message}`);
  }
}
