import {
  Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { readService } from "./proto-files.ts";

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
  return callMethod(clientOf(url, service), token, method, request);
}

/**
 * Calls a method of a client that grpc-js made for a service; rejects with its ServiceError.
 *
 * @example await callMethod(client, token, "GetGroup", { uid });
 */
export function callMethod(
  client: Client,
  token: string,
  method: string,
  request: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
): Promise<any> {
  const metadata = new Metadata();
  if (token !== "") metadata.set("authorization", `Bearer ${token}`);
  return new Promise((resolve, reject) => {
    const call = (client as Client & Record<string, (...args: unknown[]) => void>)[method];
    if (call === undefined) throw new Error(`the service has no ${method}`);
    call.call(client, request, metadata, (error: ServiceError | null, response: unknown) => {
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
    const Service = makeGenericClientConstructor(definitionOf(service), service);
    client = new Service(new URL(url).host, credentials.createInsecure());
    clients.set(key, client);
  }
  return client;
}

const definitions = new Map<string, ServiceDefinition>();

function definitionOf(service: string): ServiceDefinition {
  const definition = definitions.get(service) ?? readService("wharf/*/v2beta1", service);
  definitions.set(service, definition);
  return definition;
}

/** Lets go of all connections, so that the process can end. */
export function closeGrpc(): void {
  for (const client of clients.values()) client.close();
  clients.clear();
}
