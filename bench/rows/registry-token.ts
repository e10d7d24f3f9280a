import { issueToken } from "@wharf/server/auth/token.ts";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { ScratchData } from "../data-set.ts";
import type { ServedRegistryToken } from "../reference/registry-token.ts";
import { type Row, serve } from "../row.ts";
import { signingKeysOf } from "../signing-keys.ts";
import {
  askForToken,
  CONNECTIONS,
  IDENTITIES,
  measureTokens,
  organizationWith,
  type TokenRequest,
} from "../token-row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

/** More than any machine issues in a measurement, so no credential is used twice. */
const TOKENS_PER_SECOND = 5_000;

/** A request for each credential, all different: no verification is cached. */
async function requestsOf(server: Wharf, data: string, count: number) {
  const { organization, identities } = await organizationWith(server, "registry.pull", (at) => ({
    issuer: "https://issuer.example.com",
    subject: `puller-${at}`,
  }));
  const keys = await signingKeysOf(data);
  const { host } = new URL(server.url);
  const addresses = { baseUrl: server.url, authUrl: server.url };
  return Array.from({ length: count }, (_, i) => {
    const name = `${organization}/app-${String(i % IDENTITIES).padStart(4, "0")}`;
    const query = new URLSearchParams({ service: host, scope: `repository:${name}:pull` });
    const content = {
      subject: identities[i % IDENTITIES] as string,
      audiences: [host],
      boundary: undefined,
    };
    const { token } = issueToken(keys, addresses, content, Date.now());
    return { path: `/token?${query}`, token };
  });
}

/** Checks that a response contains a token that a registry accepts, and returns it. */
async function verified(server: Wharf, request: TokenRequest): Promise<string> {
  const answer = await askForToken(server.port, request);
  const keys = createLocalJWKSet(JSON.parse(await server.rest("/registry/jwks.json")));
  const { payload } = await jwtVerify(JSON.parse(answer).token, keys);
  mustEqual(payload.sub, decodeJwt(request.token).sub);
  mustEqual((payload.access as object[]).length, 1);
  return answer;
}

export const registryTokenRow: Row = {
  work: `token for a registry, ES256 → ES256, ${CONNECTIONS} connections`,
  reference: "bare node:http that verifies and signs with jose",
  target: { atLeast: 0.5 },

  async measure(bench) {
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const requests = await requestsOf(
      server,
      folder.path,
      bench.options.seconds * TOKENS_PER_SECOND,
    );
    const [first] = requests as [TokenRequest];
    const answer = await verified(server, first);
    const { token } = JSON.parse(answer);
    const { kid = "", x5c = [] } = decodeProtectedHeader(token);
    const job: ServedRegistryToken = {
      jwks: JSON.parse(await server.rest("/.well-known/jwks.json")),
      issuer: server.url,
      audience: new URL(server.url).host,
      header: { kid, x5c },
      access: decodeJwt(token).access as object[],
    };
    const program = "reference/registry-token.ts";
    return await measureTokens(bench, server, requests, answer, program, job);
  },
};
