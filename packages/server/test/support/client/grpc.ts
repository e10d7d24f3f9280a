/**
 * gRPC by an independent implementation: grpc-js, with messages that proto-loader reads from our
 * .proto files. Nothing generated, so that the server is not tested with its own code.
 */
import { join } from "node:path";
import { createRegistry, type DescMethod, fromBinary, toJson } from "@bufbuild/protobuf";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { SERVICES } from "@wharf/contract";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { type Status, StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { ApiError } from "./api-error.ts";
import { fromGrpcJs, toGrpcJs } from "./grpc-json.ts";

const ROOT = join(import.meta.dirname, "../../../../..");
const INCLUDED = [join(ROOT, "proto"), join(ROOT, "node_modules/google-proto-files")];

/** Above the default of clients: a v1 list is one message. */
const LONGEST_ANSWER = 100 * 1024 * 1024;

/**
 * Calls a method under a name of its service, and shows the answer as REST would. Rejects with an
 * ApiError.
 *
 * @example await callUnary(url, token, "wharf.iam.v1.Groups", Groups.method.list, { id });
 */
export async function callUnary(
  url: string,
  token: string,
  service: string,
  method: DescMethod,
  request: object,
  headers: Readonly<Record<string, string>> = {},
  received: (metadata: Metadata) => void = () => {},
): Promise<unknown> {
  const { requestSerialize, responseDeserialize } = definitionOf(method);
  const sent = requestSerialize(toGrpcJs(method.input, request) as object);
  const client = clientOf(url, method.parent.file.name.includes("/v1/"));
  const path = `/${service}/${method.name}`;
  try {
    const answer = responseDeserialize(await unary(client, token, path, sent, headers, received));
    return fromGrpcJs(method.output, answer);
  } catch (error) {
    throw apiErrorOf(error as ServiceError);
  }
}

/**
 * Sends bytes to any path and returns the bytes of the answer; rejects with grpc-js's ServiceError.
 *
 * @example await sendBytes(server.url, "", "/wharf.ping.v2beta1.PingService/Ping", Buffer.alloc(0));
 */
export function sendBytes(
  url: string,
  token: string,
  path: string,
  bytes: Buffer,
): Promise<Buffer> {
  return unary(clientOf(url, false), token, path, bytes);
}

function unary(
  client: Client,
  token: string,
  path: string,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
  received: (metadata: Metadata) => void = () => {},
): Promise<Buffer> {
  const metadata = new Metadata();
  if (token !== "") metadata.set("authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const same = (buffer: Buffer) => buffer;
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(path, same, same, bytes, metadata, (error, answer) => {
      if (error) reject(error);
      else resolve(answer as Buffer);
    });
    call.on("metadata", received);
  });
}

const clients = new Map<string, Client>();

function clientOf(url: string, takesLongAnswers: boolean): Client {
  const key = `${url} ${takesLongAnswers}`;
  let client = clients.get(key);
  if (client === undefined) {
    const limit = { "grpc.max_receive_message_length": LONGEST_ANSWER };
    const options = takesLongAnswers ? limit : {};
    client = new Client(new URL(url).host, credentials.createInsecure(), options);
    clients.set(key, client);
  }
  return client;
}

/** Closes all connections, so that the process can end. */
export function closeGrpc(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}

const definitions = new Map<string, ServiceDefinition>();

/** A method as proto-loader reads it. All files at once take a third of the time that one after the other would. */
function definitionOf({ parent, name }: DescMethod): MethodDefinition<object, object> {
  if (definitions.size === 0)
    readDefinitions(new Set([...SERVICES, ...SERVICES_V1].map(({ file }) => file.name)));
  if (!definitions.has(parent.typeName)) readDefinitions(new Set([parent.file.name]));
  return definitions.get(parent.typeName)?.[name] as MethodDefinition<object, object>;
}

function readDefinitions(names: ReadonlySet<string>): void {
  const files = [...names].map((name) => `${name}.proto`);
  const shapes = { longs: String, enums: String, defaults: true, oneofs: true };
  const read = loadSync(files, { includeDirs: INCLUDED, ...shapes });
  for (const [name, found] of Object.entries(read))
    definitions.set(name, found as ServiceDefinition);
}

const DETAILS = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
);

/**
 * The error that a failed call carries in its trailers; what has none is returned as it is.
 *
 * @example assert.equal(apiErrorOf(error).code, 16);
 */
export function apiErrorOf(error: ServiceError): ApiError | Error {
  const [binary] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (!(binary instanceof Buffer)) return error;
  const status: Status = fromBinary(StatusSchema, binary);
  // A long message is cut in its header; the details have all of it.
  const shortened = error.details.replace(/…$/, "");
  if (status.code !== error.code || !status.message.startsWith(shortened)) {
    throw new Error(`the trailers differ: ${error.code} ${error.details}, ${status.message}`);
  }
  const json = toJson(StatusSchema, status, { registry: DETAILS }) as { details?: object[] };
  return new ApiError(status.code, status.message, json.details ?? []);
}
