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
    "iam/v2beta1/groups",
    "iam/v2beta1/identities",
    "iam/v2beta1/roles",
    "iam/v2beta1/role_bindings",
    "iam/v2beta1/identity_providers",
    "iam/v2beta1/external_group_role_mappings",
    "iam/v2beta1/account_associations",
    "iam/v2beta1/group_invites",
    "registry/v2beta1/repos",
    "registry/v2beta1/tags",
    "registry/v2beta1/images",
    "vulnerabilities/v2beta1/advisories",
    "vulnerabilities/v2beta1/imports",
  ].map((file) => `wharf/${file}.proto`),
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
    const { iam, registry, vulnerabilities } = packages.wharf;
    const parts = [iam.v2beta1, registry.v2beta1, vulnerabilities.v2beta1];
    const Service = parts.find((part) => service in part)[service] as ServiceClientConstructor;
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
