import type { DescMethod } from "@bufbuild/protobuf";
import { advisoriesV1 } from "@wharf/contract";
import {
  apkV1,
  argosOsvV1,
  argosVulnsV1,
  registryV1,
  SERVICES_V1,
  vulnerabilitiesV1,
} from "@wharf/contract/v1";
import type { Settings } from "../config/settings.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { ResponseHeaders } from "../rpc/call.ts";
import type { Deprecation } from "../rpc/methods.ts";
import { entitlementMethods } from "./registry/entitlements.ts";

/** Methods with constant answers, for clients of the public contract: version 2 has none of them. */
const CONSTANT: ReadonlySet<DescMethod> = new Set(entitlementMethods().map(([method]) => method));

const { Registry } = registryV1;

/** Methods of the public contract alone: version 2 has the same data in another shape. */
const OF_CONTRACT: ReadonlySet<DescMethod> = new Set<DescMethod>([
  ...[apkV1.APK, argosOsvV1.ArgosOSV, argosVulnsV1.ArgosVulns].flatMap(({ methods }) => methods),
  ...vulnerabilitiesV1.Vulnerabilities.methods,
  Registry.method.getUpdateStatus,
  Registry.method.getSyncStatus,
  Registry.method.listSyncStatuses,
  Registry.method.getSbom,
  Registry.method.getRawSbom,
  Registry.method.getVulnReport,
  Registry.method.listManifestMetadata,
  Registry.method.getManifestDigestCount,
  Registry.method.getHelm,
  Registry.method.getChart,
  Registry.method.listChartsByImageRepo,
  Registry.method.listChartImageBindings,
]);

/** The methods with a successor in version 2. Of advisories these are the reads: version 2 cannot write them. */
const { list, listAdvisoryEvents } = advisoriesV1.Advisories.method;
const REPLACED: ReadonlySet<DescMethod> = new Set<DescMethod>([
  ...SERVICES_V1.flatMap(({ methods }) => methods).filter(
    (method) => !CONSTANT.has(method) && !OF_CONTRACT.has(method),
  ),
  list,
  listAdvisoryEvents,
]);

/** Callers with a metric label of their own: each may have a series for every method. */
const MAX_CALLER_LABELS = 100;

/**
 * Announces the deprecation of version 1 if the operator has set a date: to callers by header fields
 * (RFC 9745, RFC 8594), to the operator by a metric that counts calls by caller.
 */
export function deprecationOf(settings: Settings, metrics: Metrics): Deprecation | undefined {
  if (settings.v1Deprecation === 0) return undefined;
  const callers = new Set<string>();
  return {
    methods: REPLACED,
    responseHeaders: responseHeadersOf(settings),
    onCall({ uid }, { parent, name }) {
      if (callers.size < MAX_CALLER_LABELS) callers.add(uid);
      const caller = callers.has(uid) ? uid || "anonymous" : "other";
      metrics.count("wharf_v1_calls_total", { caller, method: `${parent.typeName}/${name}` });
    },
  };
}

function responseHeadersOf({ v1Deprecation, v1Sunset, v1Guide }: Settings): ResponseHeaders {
  return {
    deprecation: `@${Math.floor(v1Deprecation / 1000)}`,
    ...(v1Sunset !== 0 && { sunset: new Date(v1Sunset).toUTCString() }),
    ...(v1Guide !== "" && { link: `<${v1Guide}>; rel="deprecation"` }),
  };
}
