import type { DescMethod } from "@bufbuild/protobuf";
import { advisoriesV1 } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Settings } from "../config/settings.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { ResponseHeaders } from "../rpc/call.ts";
import type { Deprecation } from "../rpc/methods.ts";

/**
 * What version 2 does as well. Of advisories that is reading alone: whoever writes them has nowhere
 * to go, and is not told to.
 */
const { list, listAdvisoryEvents } = advisoriesV1.Advisories.method;
const REPLACED: ReadonlySet<DescMethod> = new Set<DescMethod>([
  ...SERVICES_V1.flatMap(({ methods }) => methods),
  list,
  listAdvisoryEvents,
]);

/** Callers that are told apart in metrics: each may have a series for every method. */
const MOST_CALLERS = 100;

/**
 * How version 1 says that it is deprecated, where the operator has said so: header fields for its
 * users (RFC 9745, RFC 8594), and for the operator who they are.
 *
 * @example const older = { deprecation: deprecationOf(settings, metrics) };
 */
export function deprecationOf(settings: Settings, metrics: Metrics): Deprecation | undefined {
  if (settings.v1Deprecation === 0) return undefined;
  const callers = new Set<string>();
  return {
    methods: REPLACED,
    responseHeaders: responseHeadersOf(settings),
    called({ uid }, { parent, name }) {
      if (callers.size < MOST_CALLERS) callers.add(uid);
      const caller = callers.has(uid) ? uid || "anonymous" : "other";
      metrics.count("wharf_v1_calls_total", { caller, method: `${parent.typeName}/${name}` });
    },
  };
}

/**
 * @example responseHeadersOf({ v1Deprecation: 1798761600000, … }).deprecation // "@1798761600"
 */
function responseHeadersOf({ v1Deprecation, v1Sunset, v1Guide }: Settings): ResponseHeaders {
  return {
    deprecation: `@${Math.floor(v1Deprecation / 1000)}`,
    ...(v1Sunset !== 0 && { sunset: new Date(v1Sunset).toUTCString() }),
    ...(v1Guide !== "" && { link: `<${v1Guide}>; rel="deprecation"` }),
  };
}
