import { setTimeout as sleep } from "node:timers/promises";
import type { Settings } from "../config/settings.ts";
import type { DeliveryTimes } from "../delivery/times.ts";
import type { EngineLimits } from "../engine/limits.ts";
import type { HostLookup } from "../lib/net/host-lookup.ts";
import { embeddedDatabaseError } from "../lib/startup-errors.ts";
import { PASSWORD_COST, type PasswordCost, PasswordHasher } from "../login/local/password.ts";
import { createSetupCode, type FirstRun } from "../login/local/setup.ts";
import { FaultLog } from "../observe/fault-log.ts";
import { checkOpenFileLimit, FileDescriptors } from "../observe/file-descriptors.ts";
import { type Log, type LogOutput, openLog, stderrOutput } from "../observe/logger.ts";
import { Metrics } from "../observe/metrics.ts";
import {
  listenForScrapes,
  type MetricsListener,
  type Scraped,
} from "../observe/metrics-listener.ts";
import { Readiness } from "../observe/readiness.ts";
import { requestObserver } from "../observe/requests.ts";
import { storeFailures } from "../observe/store-failures.ts";
import type { Tracing } from "../observe/tracing/tracing.ts";
import type { ContentTimes } from "../registry/content-times.ts";
import { claimFolder } from "../registry/storage/folder-id.ts";
import { openServerStore, type openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import type { MigrationLog } from "../store/schema/migration-session.ts";
import { endLeases } from "../store/tables/leases.ts";
import { endPassLeases } from "../store/tables/registry/passes.ts";
import type { Port } from "../wire/port/port.ts";
import { type Areas, registerAreas, servedBy } from "./areas.ts";
import { BackgroundTasks } from "./background.ts";
import { type Core, openCore } from "./core.ts";
import { watchLoad } from "./load-metrics.ts";
import { openConfiguredPort, readCertificate } from "./port.ts";
import { RESOURCES } from "./resources.ts";
import { DRAIN_MS, type RunningServer } from "./running-server.ts";
import { openTracing, tracedObserver } from "./traces.ts";
import type { SupervisorLink } from "./workers/supervisor-link.ts";

/** A server of one process. */
export interface DrainableServer extends RunningServer {
  /** Fails readiness and keeps serving. */
  drain(): void;
}

/** Dependencies of a server beside its settings; not configurable. */
export interface ServerOptions {
  readonly open?: typeof openStore;
  /** Destination of log lines; stderr by default. */
  readonly logOutput?: LogOutput;
  readonly openPort?: typeof openConfiguredPort;
  /** The cost of password hashes; a low one makes tests fast. */
  readonly passwordCost?: PasswordCost;
  /** Bounds of the cost of a request; low ones make tests fast. */
  readonly limits?: EngineLimits;
  /** Times of deliveries; short ones make tests fast. */
  readonly deliveryTimes?: DeliveryTimes;
  /** Times for which the registry keeps unused content; short ones make tests fast. */
  readonly contentTimes?: ContentTimes;
  /** Resolver for the host names of sinks; tests have their own name servers. */
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

/** Builds everything on the store, opens the port, starts what runs beside requests, and then answers. */
async function serve(
  settings: Settings,
  store: Store,
  metrics: Metrics,
  logs: Log,
  options: ServeOptions,
): Promise<DrainableServer> {
  const { limits, supervisor, openPort = openConfiguredPort } = options;
  const { log } = logs;
  const faults = new FaultLog(log);
  store.health.observe(storeFailures(faults, metrics));
  checkOpenFileLimit(settings.maxConnections, log);
  const core = await openCore(settings, store, metrics, log, limits);

  if (settings.registryStorage !== undefined) await claimFolder(store, settings.registryStorage);
  const tracing = await openTracing(settings, store, metrics, faults);
  const readiness = new Readiness(store.health);
  supervisor?.shareReadiness(readiness);
  const scrape = supervisor?.shareMetrics(metrics) ?? (() => metrics.text());
  const areas = await registerAreas(core, { ...options, readiness, scrape });

  const requests = requestObserver(logs, metrics, new FileDescriptors({ faults, metrics }));
  const port = await openPort(settings, {
    ...servedBy(core, areas.api),
    health: readiness,
    observer: tracedObserver(requests, tracing),
    held: true,
    source: supervisor,
  });
  watchLoad(metrics, port, core);
  const background = new BackgroundTasks(core, areas);
  const deps = { core, areas, port, readiness, background, tracing, scrape, supervisor };
  const { firstRun, metricsListener } = await startBesidePort(deps);
  port.start();
  const scraped = metricsListener && { metrics: metricsListener.url };
  log.info({ url: port.url, database: store.reader.dialect.name, ...scraped }, "ready");
  return runningServer({ ...deps, metricsListener }, firstRun);
}

interface StartDeps {
  readonly core: Core;
  readonly port: Port;
  readonly background: BackgroundTasks;
  readonly scrape: () => Promise<Scraped>;
  readonly supervisor: SupervisorLink | undefined;
}

/** Starts what needs the URL of the port, which answers nothing yet; closes everything if that fails. */
async function startBesidePort({ core, port, background, scrape, supervisor }: StartDeps) {
  const { metricsListen } = core.settings;
  let metricsListener: MetricsListener | undefined;
  try {
    if (metricsListen && supervisor === undefined)
      metricsListener = await listenForScrapes(metricsListen, scrape);
    await core.publishAddresses(port.url);
    // Once for all processes of a server, and not again when one of them is replaced.
    const isFirstStart =
      supervisor === undefined || (supervisor.isFirst && !supervisor.isReplacement);
    // This server alone has the data directory: earlier processes have ended, also those that were killed.
    if (isFirstStart && core.store.reader.dialect.name === "sqlite")
      await core.store.write(async (tx) => {
        await endLeases(tx);
        await endPassLeases(tx);
      });
    const firstRun = isFirstStart ? await createSetupCode(core, Date.now()) : undefined;
    background.start({ isFirst: supervisor?.isFirst ?? true });
    return { firstRun, metricsListener };
  } catch (error) {
    await port.close(0);
    await metricsListener?.close();
    await background.stop();
    throw error;
  }
}

interface RunningDeps {
  readonly core: Core;
  readonly areas: Areas;
  readonly port: Port;
  readonly readiness: Readiness;
  readonly background: BackgroundTasks;
  readonly metricsListener: MetricsListener | undefined;
  readonly tracing: Tracing | undefined;
}

/** Stops in this order: streams and requests, what runs beside them, the store, and at last what observes it all. */
function runningServer(
  { core, areas, port, readiness, background, metricsListener, tracing }: RunningDeps,
  firstRun: FirstRun | undefined,
): DrainableServer {
  const { settings, store, log } = core;
  const delay = new AbortController();
  function drain(): void {
    readiness.drain();
    port.drain();
  }
  async function shutDown(delayMs: number): Promise<void> {
    drain();
    log.info({ delaySeconds: delayMs / 1000 }, "stopping");
    await sleep(delayMs, undefined, delay).catch(() => {});
    areas.audit.endStreams();
    areas.delivery.endStreams();
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
