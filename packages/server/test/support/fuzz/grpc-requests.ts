/** gRPC and gRPC-Web calls of every method of the contract, under all names of its service. */
import type { DescMethod } from "@bufbuild/protobuf";
import { SERVICES, serviceNames } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import type { Random } from "../oracle/random.ts";
import { wireMessage } from "./messages.ts";
import {
  authorizationOf,
  FRAMINGS,
  type FuzzRequest,
  type Phase,
  pickCaller,
  valuesFor,
} from "./request.ts";
import type { Values } from "./values.ts";

/** All but those that answer when something happens. */
const METHODS: readonly DescMethod[] = [...SERVICES, ...SERVICES_V1]
  .flatMap(({ methods }) => methods)
  .filter(({ name }) => !name.startsWith("Watch"));

/** Paths that are no method of the contract. */
const OTHER_PATHS = [
  "/",
  "/a/b/c",
  "/grpc.health.v1.Health/Check",
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
  "/wharf.iam.v2beta1.GroupsService/",
  "/wharf.iam.v2beta1.GroupsService/getGroup",
  "/chainguard.platform.iam.Terms/List",
  "/%00/%ff",
];

const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ["content-type", "application/grpc+json"],
  ["content-type", "application/grpc+proto"],
  ["content-type", "application/grpcfoo"],
  ["grpc-encoding", "gzip"],
  ["grpc-encoding", "snappy"],
  ["grpc-encoding", ""],
  ["grpc-accept-encoding", "gzip,br"],
  ["grpc-timeout", "0n"],
  ["grpc-timeout", "1u"],
  ["grpc-timeout", "99999999H"],
  ["grpc-timeout", "-1S"],
  ["grpc-timeout", "S"],
  ["x-trace-bin", "%%%"],
  ["user-agent", "\u00e9".repeat(300)],
  ["x-long", "y".repeat(9_000)],
  ["cookie", "a=b"],
];

/**
 * A gRPC call.
 *
 * @example const request = grpcRequest(new Chance(7), "anonymous");
 */
export function grpcRequest(random: Random, phase: Phase): FuzzRequest {
  return { via: "grpc", ...callOf(random, phase) };
}

/** The same call as browsers make it, in either form. */
export function grpcWebRequest(random: Random, phase: Phase): FuzzRequest {
  const call = callOf(random, phase);
  const form = random.below(20);
  const text =
    form === 0 ? ({ text: "broken" } as const) : form < 8 ? ({ text: "base64" } as const) : {};
  return { via: "grpc-web", ...call, ...text };
}

function callOf(random: Random, phase: Phase): Omit<FuzzRequest, "via"> {
  const method = random.pick(METHODS);
  const caller = pickCaller(random, phase);
  const values = valuesFor(random, caller, `${method.parent.name} ${method.name}`);
  const isOther = values.goesWrong() && values.oneIn(6);
  const name = values.oneIn(3) ? random.pick(serviceNames(method.parent)) : method.parent.typeName;
  const headers = [...authorizationOf(random, caller)];
  if (values.goesWrong()) headers.push([...random.pick(ODD_HEADERS)]);
  return {
    caller,
    method: values.goesWrong() && values.oneIn(10) ? random.pick(["GET", "PUT"]) : "POST",
    path: isOther ? random.pick(OTHER_PATHS) : `/${name}/${method.name}`,
    headers,
    message: wireMessage(values, method.input),
    framing: framingOf(values),
    ...(isOther ? {} : { rpc: `${method.parent.typeName}/${method.name}` }),
  };
}

function framingOf(values: Values): (typeof FRAMINGS)[number] {
  if (!values.goesWrong() || !values.oneIn(2)) return "plain";
  // Unpacking takes time, and one bomb is like another.
  const framing = values.random.pick(FRAMINGS);
  return framing === "bomb" && !values.oneIn(20) ? "gzip" : framing;
}
