/** Invariants of every answer to any request. */
import { fromBinary } from "@bufbuild/protobuf";
import { accessOf, builtinRole, CODES, SERVICES, serviceNames } from "@wharf/contract";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { ANONYMOUS_CALLERS, type FuzzRequest } from "./request.ts";
import type { FuzzAnswer } from "./send.ts";
import { CANARY, type FuzzWorld } from "./world.ts";

const ALL_CODES = Object.values(CODES);

/** Codes that say that the server failed. */
const FAULTS = new Set([
  CODES.UNKNOWN.number,
  CODES.INTERNAL.number,
  CODES.DATA_LOSS.number,
] as number[]);

/** Statuses that HTTP has a better word for than the code of the error. */
const OWN_STATUS: Readonly<Record<number, number>> = {
  405: 12,
  413: 8,
  414: 8,
  415: 3,
  408: 4,
  431: 8,
};

/** Internals that errors of ours never contain: places in code, databases, the machine. */
const INTERNALS =
  /\bat \S+ \(.*:\d+:\d+\)|node:internal|node_modules|\.(?:ts|cjs|mjs):\d+|SQLITE_|sqlite3?_|syntax error at|invalid input syntax|pg_catalog|violates \w+ constraint|ECONNREFUSED|ENOENT|\/(?:home|root|work|usr|tmp|dev\/shm)\//;

/** Methods that need no token, by every name that they are called by. */
const OPEN = new Set(
  [...SERVICES, ...SERVICES_V1].flatMap((service) =>
    service.methods
      .filter((method) => accessOf(method)?.kind === "anyone")
      .flatMap((method) => serviceNames(service).map((name) => `${name}/${method.name}`)),
  ),
);

const HELD_BY_VIEWERS = new Set(builtinRole("viewer")?.capabilities);

/** Methods that viewers lack a capability for; who makes an organization holds all there. */
const NOT_FOR_VIEWERS = new Set(
  [...SERVICES, ...SERVICES_V1].flatMap((service) =>
    service.methods
      .filter((method) => {
        const access = accessOf(method);
        if (access?.kind === "operator") return true;
        if (access?.kind !== "scoped" || /Groups/.test(service.name)) return false;
        return !access.capabilities.every((one) => HELD_BY_VIEWERS.has(one));
      })
      .map((method) => `${service.typeName}/${method.name}`),
  ),
);

/** Methods that call other systems, which may be out of reach. */
const ASKS_OTHERS =
  /Exchange|TestIdentity|\/Test|Check|ImageConfig|Tag|Reconcile|\/sts\/|\/oauth|\/token|notifications|:test|images|readyz|Register/i;

/**
 * The problem of an answer; undefined for none.
 *
 * @example const problem = problemOf(request, answer, world);
 */
export function problemOf(
  request: FuzzRequest,
  answer: FuzzAnswer,
  world: FuzzWorld,
): string | undefined {
  const text = textOf(answer);
  return formProblem(request, answer) ?? leakProblem(request, answer, text, world);
}

/** The whole text of an answer, with the details of gRPC errors. */
function textOf({ headers, trailers, body }: FuzzAnswer): string {
  const details = trailers.get("grpc-status-details-bin");
  const packed = details === undefined ? "" : Buffer.from(details, "base64").toString();
  const message = decoded(trailers.get("grpc-message") ?? "");
  return `${[...headers.values()].join("\n")}\n${message}\n${packed}\n${body.toString()}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function leakProblem(
  { caller, path }: FuzzRequest,
  { sent }: FuzzAnswer,
  text: string,
  { secrets, hidden }: FuzzWorld,
): string | undefined {
  const internals = INTERNALS.exec(text)?.[0];
  if (internals !== undefined && !sent().includes(internals))
    return `tells of its insides: ${internals}`;
  // Reflection repeats the request, as its protocol has it.
  const isRepeated = (one: string) => /\/grpc\.reflection\./.test(path) && sent().includes(one);
  const secret = secrets.find((one) => text.includes(one) && !isRepeated(one));
  if (secret !== undefined) return `holds the secret ${secret.slice(0, 12)}…`;
  if (caller === "operator" || caller === "registry") return undefined;
  if (text.includes(CANARY)) return "names something of another organization";
  for (const id of hidden) if (text.includes(id)) return `holds ${id} of another organization`;
  return undefined;
}

function formProblem(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  if (request.via === "grpc" || request.via === "grpc-web") return grpcProblem(request, answer);
  const { status, body, headers } = answer;
  if (status >= 500 && !isExcused(status, request)) return `answers ${status}`;
  if (status < 200 || (status >= 300 && status < 400 && request.via === "rest"))
    return `answers ${status}`;
  if (request.method === "HEAD" || status === 204 || (status >= 300 && status < 400))
    return undefined;
  const type = headers.get("content-type") ?? "";
  if (isPageForBrowser(request, status, type)) return undefined;
  // Methods that stream their response send events; what strangers get is the same as for all others.
  if (type === "text/event-stream") return accessProblem(request);
  if (!/json/.test(type)) return request.via === "rest" ? `answers ${type}` : undefined;
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch {
    return "is not JSON";
  }
  if (status >= 400) return errorProblem(status, json as Record<string, unknown>, request);
  return accessProblem(request);
}

/** Whether the answer is the page for browsers at an address that nothing handles. */
function isPageForBrowser(
  { method, caller, headers }: FuzzRequest,
  status: number,
  type: string,
): boolean {
  const value = (wanted: string) =>
    headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";
  const isBrowser = value("accept").includes("text/html") && value("authorization") === "";
  const isAnonymous = ANONYMOUS_CALLERS.includes(caller) && isBrowser && method === "GET";
  return isAnonymous && (status === 404 || status === 405) && type.startsWith("text/html");
}

/** The problem of a request that succeeded although its caller lacks a required capability. */
function accessProblem({ rpc, caller }: FuzzRequest): string | undefined {
  if (rpc === undefined) return undefined;
  if (!OPEN.has(rpc) && ANONYMOUS_CALLERS.includes(caller))
    return "lets a caller without a token in";
  return caller === "viewer" && NOT_FOR_VIEWERS.has(rpc) ? "lets a viewer in" : undefined;
}

function isExcused(status: number, { path }: FuzzRequest): boolean {
  return status === 501 || (status === 503 && ASKS_OTHERS.test(path));
}

/** Errors of REST have one form; SCIM, OAuth and registries have their own. */
function errorProblem(
  status: number,
  error: Record<string, unknown>,
  { via, path }: FuzzRequest,
): string | undefined {
  if (path.startsWith("/scim/") && "schemas" in error) {
    return error.status === String(status) && error.detail ? undefined : "is no SCIM error";
  }
  if (via === "http" && typeof error.error === "string") {
    return "error_description" in error || path.includes("passkey")
      ? undefined
      : "is no OAuth error";
  }
  if (via === "http" && Array.isArray(error.errors)) {
    return error.errors[0]?.code && error.errors[0]?.message ? undefined : "is no registry error";
  }
  const code = ALL_CODES.find(({ number }) => number === error.code);
  if (code === undefined) return "has no code";
  if (code.http !== status && OWN_STATUS[status] !== code.number)
    return `is ${error.code} as ${status}`;
  if (FAULTS.has(code.number)) return `is ${error.code}`;
  if (!String(error.message).startsWith(`${code.words}: `)) return "has no message of its code";
  const [info] = (error.details ?? []) as Record<string, string>[];
  if (!info?.["@type"]?.endsWith("google.rpc.ErrorInfo") || !info.reason || !info.domain) {
    return "has no ErrorInfo";
  }
  return undefined;
}

/** Longer messages can come with details that do not fit into headers. */
const LONG_MESSAGE = 400;

function grpcProblem(request: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { status, trailers } = answer;
  const text = trailers.get("grpc-status");
  if (text === undefined) {
    if (status === 0) return undefined;
    return status === 200 || status >= 500 ? `answers ${status} without a status` : undefined;
  }
  const code = Number(text);
  if (code === 0) return accessProblem(request);
  const shown = `${code} ${trailers.get("grpc-message")}`;
  if (FAULTS.has(code) || !ALL_CODES.some(({ number }) => number === code))
    return `ends with ${shown}`;
  if (code === CODES.UNAVAILABLE.number && !ASKS_OTHERS.test(request.path))
    return `ends with ${shown}`;
  const packed = trailers.get("grpc-status-details-bin");
  const message = decoded(trailers.get("grpc-message") ?? "");
  if (message === "") return `ends with ${shown}: no message`;
  if (packed === undefined)
    return message.length > LONG_MESSAGE ? undefined : `has no details: ${shown}`;
  const details = fromBinary(StatusSchema, Buffer.from(packed, "base64"));
  if (details.code !== code) return `has details of ${details.code}: ${shown}`;
  const isInfo = details.details[0]?.typeUrl.endsWith("/google.rpc.ErrorInfo");
  return isInfo ? undefined : `has no ErrorInfo: ${shown}`;
}
