/**
 * A well-known provider: oidc-provider with its in-memory adapter issues JWT access tokens, signed with
 * ES256, for client credentials.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { doJobs } from "../program.ts";

export interface ServedClient {
  readonly id: string;
  readonly secret: string;
  readonly resource: string;
}

doJobs(async ({ id, secret, resource }: ServedClient): Promise<{ port: number }> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: id,
        client_secret: secret,
        token_endpoint_auth_method: "client_secret_post",
        id_token_signed_response_alg: "ES256",
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig", kid: "key-1" }] },
    ttl: { ClientCredentials: 3_600 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: "read",
          audience: resource,
          accessTokenTTL: 3_600,
          accessTokenFormat: "jwt",
          jwt: { sign: { alg: "ES256" } },
        }),
      },
    },
  });
  server.on("request", provider.callback());
  return { port };
});
