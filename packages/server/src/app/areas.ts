import { SERVICES } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { registerAudit } from "../audit/register.ts";
import { registerClouds } from "../clouds/check.ts";
import { registerConsole } from "../console/files.ts";
import type { DeliveryTimes } from "../delivery/times.ts";
import { auditDeniedCall, denialOf } from "../engine/audit/denial.ts";
import { registerResources } from "../engine/handlers.ts";
import { type EventDelivery, registerEvents } from "../events/register.ts";
import { type Exposure, registerExposure } from "../exposure/register.ts";
import { registerAccess } from "../iam/access/register.ts";
import { organizationSettingsHandlers } from "../iam/organization-settings.ts";
import { registerTerms } from "../iam/terms.ts";
import type { HostLookup } from "../lib/net/host-lookup.ts";
import { LocalRateLimits } from "../lib/scheduling/rate-limits.ts";
import type { PasswordHasher } from "../login/local/password.ts";
import { noRoutePage } from "../login/no-route-page.ts";
import { registerLogin } from "../login/register.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Readiness } from "../observe/readiness.ts";
import type { ContentTimes } from "../registry/content-times.ts";
import { type Registry, registerRegistry } from "../registry/register.ts";
import { ServedMethods } from "../rpc/methods.ts";
import { registerScim } from "../scim/register.ts";
import { registryHosts } from "../sts/audiences.ts";
import { createExchange, registerSts } from "../sts/register.ts";
import { deprecationOf } from "../v1/deprecation.ts";
import { V1_EVENT_TRANSLATOR } from "../v1/events/event-translator.ts";
import { registerContract } from "../v1/exposure/register.ts";
import { registerV1 } from "../v1/register.ts";
import { UNSUPPORTED_API } from "../v1/unsupported.ts";
import { registerVulnerabilities } from "../vulnerabilities/register.ts";
import { Api } from "../wire/api.ts";
import type { Core } from "./core.ts";
import { documentMethodsOf } from "./document-methods.ts";
import { dryRunsOf } from "./dry-runs.ts";
import { installationHandlers } from "./installation.ts";
import { RESOURCE_METADATA_PATH, registerSystem } from "./system-endpoints.ts";
import type { SupervisorLink } from "./workers/supervisor-link.ts";

export const API_SERVICES = [...SERVICES, ...SERVICES_V1];

/** Dependencies of the areas beside the core. */
export interface AreaDeps {
  readonly passwords: PasswordHasher;
  readonly readiness: Readiness;
  /** The metrics of the whole server. */
  readonly scrape: () => ReturnType<Metrics["text"]>;
  readonly supervisor?: SupervisorLink | undefined;
  readonly deliveryTimes?: DeliveryTimes | undefined;
  readonly hosts?: HostLookup | undefined;
  readonly contentTimes?: ContentTimes | undefined;
}

/** Registered API, and the areas that work beside requests. */
export interface Areas {
  readonly api: Api;
  readonly audit: { endStreams(): void };
  readonly delivery: EventDelivery;
  readonly registry: Registry;
  readonly exposure: Exposure;
}

/** Registers the methods and endpoints of every area. */
export async function registerAreas(core: Core, deps: AreaDeps): Promise<Areas> {
  const { settings } = core;
  const { passwords, readiness, scrape, hosts } = deps;
  const limits = deps.supervisor ?? new LocalRateLimits();
  const api = new Api();
  const exchange = createExchange(core);
  registerSystem(api, { ...core, readiness, scrape: settings.metricsListen ? undefined : scrape });
  api.handlers.bindAll(installationHandlers({ ...core, readiness, scrape }));
  registerConsole(api);
  registerResources(api.handlers, core);
  registerAccess(api.handlers, core);
  registerTerms(api.handlers);
  api.handlers.bindAll(organizationSettingsHandlers(core));
  const audit = registerAudit(api, core);
  registerClouds(api, core);
  registerScim(api, { ...core, limits });
  registerSts(api, exchange, registerLogin(api, { ...core, passwords, limits }, exchange));
  const { contentTimes, deliveryTimes } = deps;
  const registry = registerRegistry(api, { ...core, hosts }, exchange, contentTimes, deliveryTimes);
  const delivery = registerEvents(api, { ...core, hosts }, deps.deliveryTimes);
  await registerVulnerabilities(api, { ...core, exchange });
  const exposure = registerExposure(
    api,
    { ...core, exchange, hosts },
    registry,
    deps.deliveryTimes,
  );
  registerContract(api, {
    ...core,
    ...exposure.contents,
    exchange,
    documents: exposure.documents,
    hosts: () => registryHosts(settings, core.addresses().baseUrl),
  });
  registerV1(api, core, registry.tagWrites);
  return { api, audit, delivery, registry, exposure };
}

/** Port options for the methods and endpoints of all registered areas. */
export function servedBy(core: Core, api: Api) {
  const { settings, metrics, store, audit, slices, authenticator, addresses } = core;
  const handlers = api.handlers.handlersOf(API_SERVICES);
  const methods = new ServedMethods(API_SERVICES, handlers, authenticator, {
    deprecation: deprecationOf(settings, metrics),
    eventTranslator: V1_EVENT_TRANSLATOR,
    denialOf: (error, caller) => denialOf(store, error, caller),
    auditDenial: (call, denial) => auditDeniedCall(audit, call, denial),
    dryRuns: dryRunsOf(API_SERVICES),
    documentMethods: documentMethodsOf(API_SERVICES),
    slices,
  });
  return {
    methods,
    unsupported: UNSUPPORTED_API,
    endpoints: api.serve(methods),
    servers: () => [addresses().baseUrl],
    errorDomain: settings.errorDomain,
    noRoutePage,
    resourceMetadata: () => `${addresses().baseUrl}${RESOURCE_METADATA_PATH}`,
  };
}
