import { join } from "node:path";
import {
  Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const ROOT = join(import.meta.dirname, "../../../..");

/** The contract as an independent implementation reads it: our .proto files, nothing generated. */
const definition = loadSync(
  [
    "groups",
    "identities",
    "roles",
    "role_bindings",
    "identity_providers",
    "external_group_role_mappings",
    "account_associations",
    "group_invites",
  ].map((file) => `wharf/iam/v2beta1/${file}.proto`),
  {
    includeDirs: [join(ROOT, "proto"), join(ROOT, "node_modules/google-proto-files")],
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  },
);
// biome-ignore lint/suspicious/noExplicitAny: packages are known only at run time.
const packages = loadPackageDefinition(definition) as any;

/**
 * Calls one method with an independent client; rejects with grpc-js's ServiceError.
 *
 * @example const group = await grpcCall(server.url, token, "GroupsService", "GetGroup", { uid });
 */
export function grpcCall(
  url: string,
  token: string,
  service: string,
  method: string,
  request: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
): Promise<any> {
  const client = clientOf(url, service) as Client & Record<string, (...args: unknown[]) => void>;
  const metadata = new Metadata();
  if (token !== "") metadata.set("authorization", `Bearer ${token}`);
  return new Promise((resolve, reject) => {
    client[method]?.(request, metadata, (error: ServiceError | null, response: unknown) => {
      if (error) reject(error);
      else resolve(response);
    });
  });
}

/**
 * Sends bytes to any path and returns the bytes of the answer; rejects with grpc-js's ServiceError.
 *
 * @example await grpcSend(server.url, "", "/wharf.ping.v2beta1.PingService/Ping", Buffer.alloc(0));
 */
export function grpcSend(url: string, token: string, path: string, bytes: Buffer): Promise<Buffer> {
  let client = clients.get(url);
  if (client === undefined) {
    client = new Client(new URL(url).host, credentials.createInsecure());
    clients.set(url, client);
  }
  const metadata = new Metadata();
  if (token !== "") metadata.set("authorization", `Bearer ${token}`);
  const same = (buffer: Buffer) => buffer;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, bytes, metadata, (error, answer) => {
      if (error) reject(error);
      else resolve(answer as Buffer);
    });
  });
}

const clients = new Map<string, Client>();

function clientOf(url: string, service: string): Client {
  const key = `${url} ${service}`;
  let client = clients.get(key);
  if (client === undefined) {
    const Service = packages.wharf.iam.v2beta1[service] as ServiceClientConstructor;
    client = new Service(new URL(url).host, credentials.createInsecure());
    clients.set(key, client);
  }
  return client;
}

/** Lets go of all connections, so that the process can end. */
export function closeGrpc(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}
