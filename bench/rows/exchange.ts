import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { StandInIssuer } from "../../packages/server/test/support/providers/issuer.ts";
import { ScratchData } from "../data-set.ts";
import type { ServedExchange } from "../reference/exchange.ts";
import { type Bench, type Row, serve } from "../row.ts";
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

/** A server that trusts an issuer, and tokens of that issuer to exchange. */
export class ExchangeSite implements AsyncDisposable {
  readonly server: Wharf;
  readonly issuer: StandInIssuer;
  readonly requests: readonly TokenRequest[];
  /** The verified response to the first request; all have its length. */
  readonly answer: string;
  readonly #data: ScratchData;

  private constructor(
    server: Wharf,
    issuer: StandInIssuer,
    requests: readonly TokenRequest[],
    answer: string,
    data: ScratchData,
  ) {
    this.server = server;
    this.issuer = issuer;
    this.requests = requests;
    this.answer = answer;
    this.#data = data;
  }

  static async start(bench: Bench): Promise<ExchangeSite> {
    const data = new ScratchData();
    const server = await serve(bench, data.path);
    const issuer = await StandInIssuer.start();
    const requests = await requestsOf(server, issuer, bench.options.seconds * TOKENS_PER_SECOND);
    const answer = await verified(server, requests[0] as TokenRequest);
    return new ExchangeSite(server, issuer, requests, answer, data);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    await this.issuer.stop();
    this.#data[Symbol.dispose]();
  }
}

export const exchangeRow: Row = {
  work: `exchange RS256 → ES256, REST, ${CONNECTIONS} connections`,
  reference: "bare node:http that verifies and signs with jose",
  target: { atLeast: 0.6 },

  async measure(bench) {
    await using site = await ExchangeSite.start(bench);
    const { server, issuer, requests, answer } = site;
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
    return await measureTokens(bench, server, requests, answer, "reference/exchange.ts", job);
  },
};
