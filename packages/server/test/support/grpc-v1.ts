import { globSync } from "node:fs";
import { join } from "node:path";
import {
  type Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const ROOT = join(import.meta.dirname, "../../../..");
const PROTO = join(ROOT, "proto");

/** Version 1 as an independent implementation reads it: our .proto files, nothing generated. */
const definition = loadSync(globSync("wharf/*/v1/*.proto", { cwd: PROTO }), {
  includeDirs: [PROTO, join(ROOT, "node_modules/google-proto-files")],
  longs: String,
  enums: String,
  defaults: true,
  oneofs: true,
});

/** A service by the name that the public contract gives it: `chainguard.platform.iam.Groups`. */
export type PublicName = `chainguard.platform.${string}`;

/** The same by the name that we give it: `wharf.iam.v1.Groups`. */
export type OwnName = `wharf.${string}`;

/** Longer than what clients take unless told otherwise: lists of version 1 are one message. */
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
  const client = clientOf(url, service) as Client & Record<string, (...args: unknown[]) => void>;
  const metadata = new Metadata();
  if (token !== "") metadata.set("authorization", `Bearer ${token}`);
  return new Promise((resolve, reject) => {
    const call = client[method];
    if (call === undefined) throw new Error(`${service} has no ${method}`);
    call.call(client, request, metadata, (error: ServiceError | null, response: unknown) => {
      if (error) reject(error);
      else resolve(response);
    });
  });
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

/** The methods of a service. Most public packages of version 1 do not say which they are. */
function definitionOf(service: PublicName | OwnName): ServiceDefinition {
  if (Object.hasOwn(definition, service)) return definition[service] as ServiceDefinition;
  const [domain, name] = service.replace("chainguard.platform.", "").split(/\.(?:v1\.)?/);
  const own = definition[`wharf.${domain}.v1.${name}`] as ServiceDefinition | undefined;
  if (own === undefined) throw new Error(`there is no ${service}`);
  return Object.fromEntries(
    Object.entries(own).map(([method, one]) => [method, { ...one, path: `/${service}/${method}` }]),
  );
}

/** Lets go of all connections, so that the process can end. */
export function closeGrpcV1(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}
