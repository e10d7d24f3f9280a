/**
 * Events: subscriptions and their delivery, the log of events and streams of it. Imports delivery/, the engine and
 * everything below; areas only write events, through the engine.
 */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  accessOf,
  Capability,
  eventOf,
  httpRulesOf,
  SERVICES,
  serviceNames,
} from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";

export interface EventType {
  /** The list capabilities of what the event is about: an event may be read where its subject may. */
  readonly capabilities: readonly Capability[];
  /** The path of the collection, by version of the API; empty for traffic of registries. */
  readonly path: string;
  readonly pathV1: string;
}

const REPO_TRAFFIC: EventType = {
  capabilities: [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST],
  path: "",
  pathV1: "",
};

const FINDINGS: EventType = {
  capabilities: [Capability.CAP_VULN_REPORT_LIST],
  path: "/exposure/v2beta1/findings",
  pathV1: "/exposure/v2beta1/findings",
};

/** Written without a method: reports of registries, and what the service itself does. */
const OTHER_TYPES: Readonly<Record<string, EventType>> = {
  "registry.push.v1": REPO_TRAFFIC,
  "registry.pull.v1": REPO_TRAFFIC,
  "registry.tag.expiring.v1": REPO_TRAFFIC,
  "exposure.image.affected.v1": FINDINGS,
  "exposure.image.cleared.v1": FINDINGS,
  "events.subscription.disabled.v1": {
    capabilities: [Capability.CAP_EVENTS_SUBSCRIPTION_LIST],
    path: "/events/v2beta1/subscriptions",
    pathV1: "/events/v1/subscriptions",
  },
  "exposure.source.failed.v1": {
    capabilities: [Capability.CAP_ADVISORIES_LIST],
    path: "/exposure/v2beta1/vulnerabilitySources",
    pathV1: "/exposure/v2beta1/vulnerabilitySources",
  },
};

/** Services without a method that lists what their events are about. */
const CAPABILITIES_OF_SERVICES: Readonly<Record<string, readonly Capability[]>> = {
  "wharf.auth.Auth": [Capability.CAP_IAM_IDENTITY_LIST, Capability.CAP_IAM_ROLE_BINDINGS_LIST],
  "wharf.auth.SessionsService": [
    Capability.CAP_IAM_IDENTITY_LIST,
    Capability.CAP_IAM_ROLE_BINDINGS_LIST,
  ],
  "wharf.vulnerabilities.v2beta1.AdvisoryImportsService": [Capability.CAP_ADVISORIES_LIST],
  "wharf.registry.v2beta1.RegistriesService": [Capability.CAP_REPO_LIST],
  "wharf.registry.v2beta1.RegistryStorageService": [Capability.CAP_REPO_LIST],
  "wharf.installation.v2beta1.InstallationService": [Capability.CAP_AUDIT_LIST],
};

let allTypes: ReadonlyMap<string, EventType> | undefined;

/**
 * Every type of event without its prefix, from the annotations of both versions of the contract; read on first use. Nobody
 * may read events of other types, which a newer server may have written: what they take is not known.
 */
export function eventTypes(): ReadonlyMap<string, EventType> {
  allTypes ??= readTypes();
  return allTypes;
}

function readTypes(): Map<string, EventType> {
  const ofV1 = new Map(emitters(SERVICES_V1).map(({ type, method }) => [type, pathOf(method)]));
  const types = new Map<string, EventType>(Object.entries(OTHER_TYPES));
  const ofCollections = new Map<string, EventType>();
  for (const { type, service, method } of emitters(SERVICES)) {
    const path = pathOf(method);
    const capabilities = capabilitiesOf(service);
    const eventType = { capabilities, path, pathV1: ofV1.get(type) ?? path };
    types.set(type, eventType);
    ofCollections.set(collectionOf(type), eventType);
  }
  // A service of version 1 may have several collections; those of version 2 have one each, and the same names.
  for (const [type, pathV1] of ofV1) {
    if (types.has(type)) continue;
    const eventType = ofCollections.get(collectionOf(type));
    if (eventType === undefined) throw new Error(`version 2 has no events like ${type}`);
    types.set(type, { ...eventType, pathV1 });
  }
  return types;
}

/** A type without its verb and version: `iam.group` of `iam.group.created.v1`. */
function collectionOf(type: string): string {
  return type.split(".").slice(0, -2).join(".");
}

function emitters(services: readonly DescService[]) {
  return services.flatMap((service) =>
    service.methods.flatMap((method) => {
      const type = eventOf(method)?.type;
      return type === undefined ? [] : [{ type, service, method }];
    }),
  );
}

/** The capabilities of the method that lists or gets the resources of a service. */
function capabilitiesOf(service: DescService): readonly Capability[] {
  const fixed = CAPABILITIES_OF_SERVICES[service.typeName];
  if (fixed !== undefined) return fixed;
  for (const method of service.methods) {
    const rule = accessOf(method);
    const reads = method.name.startsWith("List") || method.name.startsWith("Get");
    if (reads && rule !== undefined && "capabilities" in rule) return rule.capabilities;
  }
  throw new Error(`${service.typeName} emits events, but no method lists what they are about`);
}

/** The path of a method without the UID: `/iam/v2beta1/roleBindings:batchCreate`. */
function pathOf(method: DescMethod): string {
  return (httpRulesOf(method)[0]?.path ?? "").replaceAll(/\/\{[^}]*\}/g, "");
}

let publicPackages: ReadonlyMap<string, string> | undefined;

/** The public name of a message: its package under the name that existing clients use. */
export function publicTypeName(typeName: string): string {
  publicPackages ??= readPackages();
  const own = packageOf(typeName);
  const publicPackage = publicPackages.get(own);
  return publicPackage === undefined ? typeName : publicPackage + typeName.slice(own.length);
}

function readPackages(): Map<string, string> {
  const pairs = [...SERVICES, ...SERVICES_V1].flatMap((service) => {
    const publicName = serviceNames(service).find((name) => !name.startsWith("wharf."));
    return publicName === undefined
      ? []
      : [[packageOf(service.typeName), packageOf(publicName)] as const];
  });
  return new Map(pairs);
}

function packageOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
