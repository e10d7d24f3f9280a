import {
  type Client,
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
} from "@grpc/grpc-js";
import { callMethod } from "./grpc.ts";
import { readService } from "./proto-files.ts";

/** A service by the name that the public contract gives it: `chainguard.platform.iam.Groups`. */
export type PublicName = `chainguard.platform.${string}`;

/** The same by the name that we give it: `wharf.iam.v1.Groups`. */
export type OwnName = `wharf.${string}`;

/** Above the default of clients: a v1 list is one message. */
const LONGEST_ANSWER = 100 * 1024 * 1024;

/**
 * Calls a method of version 1 under either name with an independent client; rejects with grpc-js's ServiceError.
 *
 * @example await grpcCallV1(url, token, "chainguard.platform.iam.Groups", "List", { id });
 */
export function grpcCallV1(
  url: string,
  token: string,
  service: PublicName | OwnName,
  method: string,
  request: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
): Promise<any> {
  return callMethod(clientOf(url, service), token, method, request);
}

const clients = new Map<string, Client>();

function clientOf(url: string, service: PublicName | OwnName): Client {
  const key = `${url} ${service}`;
  let client = clients.get(key);
  if (client === undefined) {
    const Service = makeGenericClientConstructor(definitionOf(service), service);
    client = new Service(new URL(url).host, credentials.createInsecure(), {
      "grpc.max_receive_message_length": LONGEST_ANSWER,
    });
    clients.set(key, client);
  }
  return client;
}

const definitions = new Map<PublicName | OwnName, ServiceDefinition>();

/** The methods of a service, under the name given. Most public packages do not say which version they are. */
function definitionOf(service: PublicName | OwnName): ServiceDefinition {
  const read = definitions.get(service);
  if (read !== undefined) return read;
  const [domain, name = ""] = service
    .replace(/^(chainguard\.platform|wharf)\./, "")
    .split(/\.(?:v1\.)?/);
  const own = Object.entries(readService(`wharf/${domain}/v1`, name));
  const definition = Object.fromEntries(
    own.map(([method, one]) => [method, { ...one, path: `/${service}/${method}` }]),
  );
  definitions.set(service, definition);
  return definition;
}

/** Lets go of all connections, so that the process can end. */
export function closeGrpcV1(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}
