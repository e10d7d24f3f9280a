import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { StandInIssuer } from "../../packages/server/test/support/providers/issuer.ts";
import { ScratchData } from "../data-set.ts";
import { median, perSecond } from "../measure.ts";
import { Program } from "../program.ts";
import type { ServedExchange } from "../reference/exchange.ts";
import type { ServedClient } from "../reference/oidc-provider.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
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

/** More than any machine exchanges in a measurement, so no token is used twice. */
const TOKENS_PER_SECOND = 4_000;

const repository = (at: number) => `repo:acme@7/app-${String(at).padStart(4, "0")}@42`;

/** A request for each token, all different. */
async function requestsOf(
  server: Wharf,
  issuer: StandInIssuer,
  count: number,
): Promise<TokenRequest[]> {
  const { identities } = await organizationWith(server, "viewer", (at) => ({
    issuer: issuer.url,
    subjectPattern: `${repository(at)}:.*`,
  }));
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const sub = `${repository(i % IDENTITIES)}:ref:refs/heads/main`;
      // Valid for the whole row.
      const exp = Math.floor(Date.now() / 1000) + 3_600;
      const token = await issuer.sign({ sub, exp, jti: String(i).padStart(8, "0") });
      const identity = identities[i % IDENTITIES] as string;
      const query = new URLSearchParams({ aud: server.url, identity });
      return { path: `/sts/exchange?${query}`, token };
    }),
  );
}

/** Checks that a response contains a token of the identity, and returns it. */
async function verified(server: Wharf, request: TokenRequest): Promise<string> {
  const answer = await askForToken(server.port, request);
  const { token } = JSON.parse(answer);
  const keys = JSON.parse(await server.rest("/.well-known/jwks.json"));
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { audience: server.url });
  mustEqual(payload.sub, new URLSearchParams(request.path.split("?")[1]).get("identity"));
  return answer;
}

/** The rate at which oidc-provider issues client-credentials tokens on the same core. */
async function providerRate({ options, cores, http }: Bench): Promise<number> {
  await using provider = new Program<ServedClient, { port: number }>(
    "reference/oidc-provider.ts",
    cores.serving,
  );
  const client = { id: "bench", secret: "a secret of the benchmark", resource: "https://api.test" };
  const { port } = await provider.ask(client);
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client.id,
    client_secret: client.secret,
    resource: client.resource,
  });
  const answer = await fetch(`http://127.0.0.1:${port}/token`, { method: "POST", body: form });
  const { access_token } = (await answer.json()) as { access_token: string };
  mustEqual(decodeJwt(access_token).aud, client.resource);
  mustEqual(decodeProtectedHeader(access_token).alg, "ES256");
  const load = (seconds: number) =>
    http.ask({
      ...{ port, token: "", method: "POST", connections: CONNECTIONS, seconds },
      targets: [{ path: "/token", body: form.toString() }],
      bodyType: "application/x-www-form-urlencoded",
    });
  await load(options.warmUpSeconds);
  const rates: number[] = [];
  for (let round = 0; round < options.rounds; round++)
    rates.push(perSecond(await load(options.seconds)));
  return median(rates);
}

export const exchangeRow: Row = {
  work: `exchange RS256 → ES256, REST, ${CONNECTIONS} connections`,
  reference: "bare node:http that verifies and signs with jose",
  target: { atLeast: 0.6 },

  async measure(bench) {
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const issuer = await StandInIssuer.start();
    const requests = await requestsOf(server, issuer, bench.options.seconds * TOKENS_PER_SECOND);
    const [first] = requests as [TokenRequest];
    const answer = await verified(server, first);
    const { token } = JSON.parse(answer);
    const job: ServedExchange = {
      jwks: issuer.jwks,
      issuer: issuer.url,
      audience: "127.0.0.1",
      made: {
        issuer: server.url,
        subject: decodeJwt(token).sub as string,
        kid: decodeProtectedHeader(token).kid as string,
      },
    };
    const program = "reference/exchange.ts";
    const measured = await measureTokens(bench, server, requests, answer, program, job);
    await issuer.stop();
    const rate = await providerRate(bench);
    const times = (median(measured.ours) / rate).toFixed(2);
    const note = `oidc-provider issues ${counted(Math.round(rate))} JWTs per second for client credentials, in memory: ours is ${times} times that`;
    return { ...measured, notes: [...measured.notes, note] };
  },
};
