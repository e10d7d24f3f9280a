import { join } from "node:path";
import {
  Client,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceError,
} from "@grpc/grpc-js";
import { loadSync, type MethodDefinition } from "@grpc/proto-loader";
import { decodeJwt, type JWTPayload } from "jose";

export interface Exchanged {
  readonly details: readonly object[];
  readonly status: number;
  readonly token: string;
  readonly claims: JWTPayload;
  readonly code: number;
  readonly message: string;
}

/**
 * Asks for a token as the specification shows: GET, the other token as bearer.
 *
 * @example const { token } = await exchange(server.url, upstream, { aud: server.url, identity });
 */
export async function exchange(
  url: string,
  token: string,
  parameters: Record<string, string | readonly string[]>,
): Promise<Exchanged> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
  }
  const response = await fetch(`${url}/sts/exchange?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
  });
  const body = (await response.json()) as Partial<Exchanged>;
  return {
    status: response.status,
    token: body.token ?? "",
    claims: body.token === undefined ? {} : decodeJwt(body.token),
    code: body.code ?? 0,
    message: body.message ?? "",
    details: body.details ?? [],
  };
}

const ROOT = join(import.meta.dirname, "../../../../..");

/** The method as an independent implementation reads it from the .proto file. */
const definition = loadSync("wharf/oidc/security_token_service.proto", {
  includeDirs: [join(ROOT, "proto"), join(ROOT, "node_modules/google-proto-files")],
});
loadPackageDefinition(definition);
const service = definition["wharf.oidc.SecurityTokenService"] as unknown as Record<
  string,
  MethodDefinition<object, { token: string }>
>;

/**
 * Asks for a token over gRPC, under any name of the service.
 *
 * @example const token = await exchangeOverGrpc(server.url, "wharf.oidc.SecurityTokenService", upstream, { aud, identity });
 */
export function exchangeOverGrpc(
  url: string,
  name: string,
  token: string,
  request: object,
): Promise<string> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const { requestSerialize, responseDeserialize } = service.Exchange as MethodDefinition<
    object,
    { token: string }
  >;
  return new Promise<string>((resolve, reject) => {
    const done = (error: ServiceError | null, response?: { token: string }) => {
      client.close();
      if (error) reject(error);
      else resolve(response?.token ?? "");
    };
    client.makeUnaryRequest(
      `/${name}/Exchange`,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      done,
    );
  });
}
