import { createRegistry, fromBinary, toJson } from "@bufbuild/protobuf";
import type { ServiceError } from "@grpc/grpc-js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { type Status, StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import { type Call, type Kind, Refusal, type Verb } from "./api-error.ts";
import { grpcCall } from "./grpc.ts";

/**
 * Makes a call over gRPC and shows its answer as REST would.
 *
 * @example await callOverGrpc(url, token, { verb: "Get", kind: GROUPS, request: { uid } });
 */
export async function callOverGrpc(url: string, token: string, call: Call): Promise<unknown> {
  const { verb, kind, request } = call;
  try {
    return shown(
      await grpcCall(url, token, kind.service, methodOf(verb, kind), wired(request) as object),
    );
  } catch (error) {
    throw refusalOf(error as ServiceError);
  }
}

function methodOf(verb: Verb, { one, many }: Kind): string {
  if (typeof verb === "object") return verb.action;
  return `${verb}${verb === "List" || verb.startsWith("Batch") ? many : one}`;
}

const DETAILS = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
);

/**
 * The refusal that a failed gRPC call carries in its trailers.
 *
 * @example assert.equal(refusalOf(error).code, 16);
 */
export function refusalOf(error: ServiceError): Refusal | Error {
  const [binary] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(binary instanceof Buffer)) return error;
  const status: Status = fromBinary(StatusSchema, binary);
  // A long message is cut in its header; the details have all of it.
  const shortened = error.details.replace(/…$/, "");
  if (status.code !== error.code || !status.message.startsWith(shortened)) {
    throw new Error(`the trailers differ: ${error.code} ${error.details}, ${status.message}`);
  }
  const json = toJson(StatusSchema, status, { registry: DETAILS }) as { details?: object[] };
  return new Refusal(status.code, status.message, json.details ?? []);
}

/** Names of times that do not end like others. */
const TIMES = new Set([
  ...["updatedSince", "expiration", "timestamp", "start", "end"],
  ...["lastSeen", "lastUpdated"],
]);

/** Names of fields with any JSON object. */
const STRUCTS = new Set(["osv"]);

function structOf(object: object): object {
  return {
    fields: Object.fromEntries(
      Object.entries(object).map(([name, one]) => [name, structValue(one)]),
    ),
  };
}

function structValue(value: unknown): object {
  if (value === null) return { nullValue: 0 };
  if (Array.isArray(value)) return { listValue: { values: value.map(structValue) } };
  if (typeof value === "object") return { structValue: structOf(value) };
  return { [`${typeof value === "boolean" ? "bool" : typeof value}Value`]: value };
}

interface Struct {
  readonly fields: Readonly<Record<string, StructValue>>;
}

interface StructValue {
  readonly kind: keyof StructValue;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values: readonly StructValue[] };
}

function objectOf({ fields }: Struct): object {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, plain(one)]));
}

function plain(value: StructValue): unknown {
  if (value.structValue) return objectOf(value.structValue);
  if (value.listValue) return value.listValue.values.map(plain);
  return (value.kind as string) === "nullValue" ? null : value[value.kind];
}

/**
 * Masks, times and durations as messages; everything else reads the same.
 *
 * @example wired({ updateMask: ["name"] }) // { updateMask: { paths: ["name"] } }
 */
export function wired(value: unknown, key = ""): unknown {
  if (key === "updateMask") return { paths: value };
  if (STRUCTS.has(key)) return structOf(value as object);
  if (typeof value === "string" && isTime(key)) {
    const ms = Date.parse(value);
    return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
  }
  if (key === "overlap" || key === "ttl") {
    const seconds = Number.parseFloat(value as string);
    return { seconds: Math.trunc(seconds), nanos: Math.round((seconds % 1) * 1e9) };
  }
  if (Array.isArray(value)) return value.map((one) => wired(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, wired(one, name)]));
}

function isTime(key: string): boolean {
  return /(Time|edAt)$/.test(key) || TIMES.has(key);
}

/** The names that grpc-js adds to tell which member of a choice is set. */
const CHOICES = new Set([
  "relationship",
  "iss",
  "sub",
  "aud",
  "awsArn",
  "awsUserId",
  "configuration",
]);

function isChoice(name: string, value: object): boolean {
  // The types of advisories' events are a choice; those of severities are a field.
  const chosen = name === "type" && (value as { type: unknown }).type;
  return CHOICES.has(name) || name.startsWith("_") || (isText(chosen) && chosen in value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/**
 * What grpc-js read, as REST would show it.
 *
 * @example shown({ createTime: { seconds: "0", nanos: 0 } }) // { createTime: "1970-01-01T00:00:00.000Z" }
 */
export function shown(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => shown(one));
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.isBuffer(value)) return value.toString("base64");
  if (STRUCTS.has(key)) return objectOf(value as Struct);
  if (key === "requestedOverlap") return `${(value as { seconds: string }).seconds}s`;
  if ("seconds" in value && "nanos" in value) {
    return new Date(Number(value.seconds) * 1000 + Number(value.nanos) / 1_000_000).toISOString();
  }
  const set = Object.entries(value).filter(([name, one]) => one !== null && !isChoice(name, value));
  return Object.fromEntries(set.map(([name, one]) => [keyShown(name), shown(one, name)]));
}

/** grpc-js writes 64-bit keys of maps as eight characters, the lowest byte first. */
function keyShown(name: string): string {
  if (name.length !== 8 || !name.endsWith("\0")) return name;
  return String(Buffer.from(name, "latin1").readBigInt64LE());
}
