import { setTimeout as sleep } from "node:timers/promises";
import { SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { registerAudit } from "../audit/register.ts";
import { registerClouds } from "../clouds/check.ts";
import type { Settings } from "../config/settings.ts";
import { registerConsole } from "../console/files.ts";
import type { DeliveryTimes } from "../delivery/times.ts";
import { auditDeniedCall } from "../engine/audit/denial.ts";
import { registerResources } from "../engine/handlers.ts";
import type { EngineLimits } from "../engine/limits.ts";
import { registerEvents } from "../events/register.ts";
import { registerAccess } from "../iam/access/register.ts";
import { organizationSettingsHandlers } from "../iam/organization-settings.ts";
import type { HostLookup } from "../lib/net/host-lookup.ts";
import { embeddedDatabaseError } from "../lib/startup-errors.ts";
import { PASSWORD_COST, type PasswordCost, PasswordHasher } from "../login/local/password.ts";
import { createSetupCode, type FirstRun } from "../login/local/setup.ts";
import { noRoutePage } from "../login/no-route-page.ts";
import { registerLogin } from "../login/register.ts";
import { FaultLog } from "../observe/fault-log.ts";
import { checkOpenFileLimit, FileDescriptors } from "../observe/file-descriptors.ts";
import { type Log, type LogOutput, openLog, stderrOutput } from "../observe/logger.ts";
import { Metrics } from "../observe/metrics.ts";
import { listenForScrapes, type MetricsListener } from "../observe/metrics-listener.ts";
import { Readiness } from "../observe/readiness.ts";
import { requestObserver } from "../observe/requests.ts";
import { storeFailures } from "../observe/store-failures.ts";
import { registerRegistry } from "../registry/register.ts";
import { ServedMethods } from "../rpc/methods.ts";
import { registerScim } from "../scim/register.ts";
import { openServerStore, type openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import type { MigrationLog } from "../store/schema/migration-session.ts";
import { groupDeletedBy } from "../store/tables/access/deleted-groups.ts";
import { createExchange, registerSts } from "../sts/register.ts";
import { deprecationOf } from "../v1/deprecation.ts";
import { V1_EVENT_TRANSLATOR } from "../v1/events.ts";
import { registerV1 } from "../v1/register.ts";
import { UNSUPPORTED_API } from "../v1/unsupported.ts";
import { registerVulnerabilities } from "../vulnerabilities/register.ts";
import { Api } from "../wire/api.ts";
import { BackgroundTasks } from "./background.ts";
import { openCore } from "./core.ts";
import { dryRunsOf } from "./dry-runs.ts";
import { installationHandlers } from "./installation.ts";
import { watchLoad } from "./load-metrics.ts";
import { openConfiguredPort, readCertificate } from "./port.ts";
import { RESOURCES } from "./resources.ts";
import { DRAIN_MS, type RunningServer } from "./running-server.ts";
import { registerSystem } from "./system-endpoints.ts";
import { openTracing, tracedObserver } from "./traces.ts";
import type { SupervisorLink } from "./workers/supervisor-link.ts";

/**
 * app composes the server and the operator commands: store, core, areas, port. It imports everything,
 * and only the CLI imports it.
 */

const API_SERVICES = [...SERVICES, ...SERVICES_V1];

/** A server of one process. */
export interface DrainableServer extends RunningServer {
  /** Fails readiness and keeps serving. */
  drain(): void;
}

/** What a server is built on beside its settings; operators cannot choose it. */
export interface ServerOptions {
  readonly open?: typeof openStore;
  /** Where log lines are written to; stderr by default. */
  readonly logOutput?: LogOutput;
  readonly openPort?: typeof openConfiguredPort;
  /** The cost of password hashes; a low one makes tests fast. */
  readonly passwordCost?: PasswordCost;
  /** What bounds the cost of a request; low ones make tests fast. */
  readonly limits?: EngineLimits;
  /** Times of deliveries; short ones make tests fast. */
  readonly deliveryTimes?: DeliveryTimes;
  /** How the names of sinks are resolved; by name servers of its own in tests. */
  readonly hosts?: HostLookup;
  /** For one of several processes. */
  readonly supervisor?: SupervisorLink;
}

export async function startServer(
  settings: Settings,
  options: ServerOptions = {},
): Promise<DrainableServer> {
  const { open = openServerStore, logOutput, passwordCost = PASSWORD_COST } = options;
  const metrics = new Metrics();
  const tables = Object.values(RESOURCES).map((resource) => resource.table);
  // The supervisor formats the lines of all workers.
  const format = options.supervisor === undefined ? settings.logFormat : "json";
  const output = logOutput ?? stderrOutput(metrics, format);
  const log = openLog(settings.logLevel, output, options.supervisor?.worker);
  const store = await open(settings, tables, metrics, { log: migrationLog(log) });
  try {
    const passwords = new PasswordHasher(passwordCost);
    return await serve(settings, store, metrics, log, { ...options, passwords });
  } catch (error) {
    // The first error is the reason.
    await store.close().catch(() => {});
    throw settings.databaseUrl === "" ? embeddedDatabaseError(settings.data, error) : error;
  }
}

/** An upgrade of SQLite keeps the process busy for as long as a statement takes: its lines are written before. */
function migrationLog({ log, flush }: Log): MigrationLog {
  return {
    info(fields, message) {
      log.info(fields, message);
      flush();
    },
  };
}

interface ServeOptions extends ServerOptions {
  readonly passwords: PasswordHasher;
}

async function serve(
  settings: Settings,
  store: Store,
  metrics: Metrics,
  logs: Log,
  {
    passwords,
    limits,
    deliveryTimes,
    hosts,
    supervisor,
    openPort = openConfiguredPort,
  }: ServeOptions,
): Promise<DrainableServer> {
  const { log } = logs;
  const faults = new FaultLog(log);
  store.health.observe(storeFailures(faults, metrics));
  checkOpenFileLimit(settings.maxConnections, log);
  const core = await openCore(settings, store, metrics, log, limits);
  const { engine, authenticator } = core;

  const tracing = await openTracing(settings, store, metrics, faults);
  const readiness = new Readiness(store.health);
  supervisor?.shareReadiness(readiness);
  const scrape = supervisor?.shareMetrics(metrics) ?? (() => metrics.text());
  const api = new Api();
  const exchange = createExchange(core);
  const { metricsListen } = settings;
  registerSystem(api, { ...core, readiness, scrape: metricsListen ? undefined : scrape });
  api.handlers.bindAll(installationHandlers({ ...core, readiness, scrape }));
  registerConsole(api);
  registerResources(api.handlers, engine);
  registerAccess(api.handlers, engine);
  api.handlers.bindAll(organizationSettingsHandlers(engine));
  const audit = registerAudit(api, core);
  registerClouds(api, core);
  registerScim(api, { ...core, peers: supervisor });
  registerSts(
    api,
    exchange,
    registerLogin(api, { ...core, passwords, peers: supervisor }, exchange),
  );
  const registry = registerRegistry(api, core, exchange);
  const delivery = registerEvents(api, { ...core, hosts }, deliveryTimes);
  await registerVulnerabilities(api, { ...core, exchange });
  registerV1(api, engine, registry.tagWrites);

  const handlers = api.handlers.handlersOf(API_SERVICES);
  const methods = new ServedMethods(API_SERVICES, handlers, authenticator, {
    deprecation: deprecationOf(settings, metrics),
    eventTranslator: V1_EVENT_TRANSLATOR,
    findDeletedGroup: (identity, uid) => groupDeletedBy(store.reader, identity, uid),
    auditDenial: (call, denial) => auditDeniedCall(engine, call, denial),
    dryRuns: dryRunsOf(API_SERVICES),
  });
  const port = await openPort(settings, {
    methods,
    unsupported: UNSUPPORTED_API,
    endpoints: api.serve(methods),
    description: {
      parts: async () => (await import("./openapi.ts")).apiParts(),
      servers: () => [core.addresses().baseUrl],
    },
    errorDomain: settings.errorDomain,
    noRoutePage,
    health: readiness,
    observer: tracedObserver(
      requestObserver(logs, metrics, new FileDescriptors({ faults, metrics })),
      tracing,
    ),
    held: true,
    source: supervisor,
  });
  watchLoad(metrics, port, store);
  const background = new BackgroundTasks(core, registry.sync, delivery);
  let firstRun: FirstRun | undefined;
  let metricsListener: MetricsListener | undefined;
  try {
    if (metricsListen && supervisor === undefined)
      metricsListener = await listenForScrapes(metricsListen, scrape);
    await core.publishAddresses(port.url);
    if (supervisor === undefined || (supervisor.isFirst && !supervisor.isReplacement))
      firstRun = await createSetupCode(core, Date.now());
    background.start({ isFirst: supervisor?.isFirst ?? true });
  } catch (error) {
    await port.close(0);
    await metricsListener?.close();
    await background.stop();
    throw error;
  }
  port.start();
  log.info(
    {
      url: port.url,
      database: store.reader.dialect.name,
      ...(metricsListener && { metrics: metricsListener.url }),
    },
    "ready",
  );

  const delay = new AbortController();
  function drain(): void {
    readiness.drain();
    port.drain();
  }
  async function shutDown(delayMs: number): Promise<void> {
    drain();
    log.info({ delaySeconds: delayMs / 1000 }, "stopping");
    await sleep(delayMs, undefined, delay).catch(() => {});
    audit.endStreams();
    delivery.endStreams();
    await port.close(DRAIN_MS);
    await background.stop();
    await store.close();
    await metricsListener?.close();
    await tracing?.close();
    log.info({}, "stopped");
  }
  let stopped: Promise<void> | undefined;
  return {
    url: port.url,
    firstRun,
    drain,
    reload() {
      if (settings.tlsCert === "") return;
      try {
        port.renewCertificate(readCertificate(settings));
        log.info({ file: settings.tlsCert }, "certificate reloaded");
      } catch (error) {
        log.error({ err: error }, "certificate not reloaded: the one before stays in use");
      }
    },
    stop(delayMs = 0) {
      if (delayMs === 0) delay.abort();
      stopped ??= shutDown(delayMs);
      return stopped;
    },
  };
}
