import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { StandInIssuer } from "../../packages/server/test/support/issuer.ts";
import { ScratchData } from "../data-set.ts";
import { measureLoads, median, perSecond, type Side } from "../measure.ts";
import { Program } from "../program.ts";
import type { ServedExchange } from "../reference/exchange.ts";
import type { ServedClient } from "../reference/oidc-provider.ts";
import { type Bench, counted, type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 20;

/** Identities that take turns, as the repositories of an organisation would. */
const IDENTITIES = 100;

/** More than any machine of today exchanges: no token comes twice within a measurement. */
const TOKENS_PER_SECOND = 4_000;

interface Workload {
  readonly uid: string;
  readonly subject: string;
}

/** An organisation whose identities trust the issuer, one subject each. */
async function workloadsOf(server: Wharf, issuer: string): Promise<Workload[]> {
  const post = async (path: string, body: object) =>
    JSON.parse(await server.rest(`/iam/v2beta1/${path}`, JSON.stringify(body)));
  const { uid: organisation } = await post("groups", { name: "organisation" });
  const { roles } = JSON.parse(await server.rest("/iam/v2beta1/roles?name=viewer"));
  const workloads: Workload[] = [];
  for (let i = 0; i < IDENTITIES; i++) {
    const number = String(i).padStart(4, "0");
    const subject = `repo:acme@7/app-${number}@42:ref:refs/heads/main`;
    const claimMatch = { issuer, subjectPattern: `repo:acme@7/app-${number}@42:.*` };
    const { uid } = await post(`identities/${organisation}`, { name: `ci-${number}`, claimMatch });
    await post(`roleBindings/${organisation}`, { identityUid: uid, roleUid: roles[0].uid });
    workloads.push({ uid, subject });
  }
  return workloads;
}

/** A request for each token, all of them different. */
async function requestsOf(server: Wharf, issuer: StandInIssuer, count: number) {
  const workloads = await workloadsOf(server, issuer.url);
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const { uid, subject } = workloads[i % IDENTITIES] as Workload;
      // Valid for as long as the row may take.
      const exp = Math.floor(Date.now() / 1000) + 3_600;
      const token = await issuer.sign({ sub: subject, exp, jti: String(i).padStart(8, "0") });
      const query = new URLSearchParams({ aud: server.url, identity: uid });
      return { path: `/sts/exchange?${query}`, token };
    }),
  );
}

type Request = Awaited<ReturnType<typeof requestsOf>>[number];

async function ask(port: number, { path, token }: Request): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
}

/** Makes sure that an answer is a token of the server's for the identity, and returns it. */
async function verified(server: Wharf, request: Request): Promise<string> {
  const answer = await ask(server.port, request);
  const { token } = JSON.parse(answer);
  const keys = JSON.parse(await server.rest("/.well-known/jwks.json"));
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { audience: server.url });
  mustEqual(payload.sub, new URLSearchParams(request.path.split("?")[1]).get("identity"));
  return answer;
}

/** How many tokens oidc-provider gives for a client's secret in the same time, on the same core. */
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
    const { options, cores, http } = bench;
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const issuer = await StandInIssuer.start();
    const requests = await requestsOf(server, issuer, options.seconds * TOKENS_PER_SECOND);
    const [first] = requests as [Request];
    const answer = await verified(server, first);
    const { token } = JSON.parse(answer);

    await using reference = new Program<ServedExchange, { port: number }>(
      "reference/exchange.ts",
      cores.serving,
    );
    const { port } = await reference.ask({
      jwks: issuer.jwks,
      issuer: issuer.url,
      audience: "127.0.0.1",
      made: {
        issuer: server.url,
        subject: decodeJwt(token).sub as string,
        kid: decodeProtectedHeader(token).kid as string,
      },
    });
    mustEqual((await ask(port, first)).length, answer.length);

    const side = (pid: number, to: number): Side => ({
      pid,
      load: (seconds) =>
        http.ask({
          ...{ port: to, token: "", method: "GET", targets: requests },
          ...{ connections: CONNECTIONS, seconds, bodyBytes: answer.length },
        }),
    });
    const bare = side(reference.pid, port);
    const measured = await measureLoads(
      bench,
      "per s",
      perSecond,
      bare,
      side(server.pid, server.port),
    );
    await issuer.stop();
    const rate = await providerRate(bench);
    const times = (median(measured.ours) / rate).toFixed(2);
    const note = `oidc-provider gives ${counted(Math.round(rate))} JWTs a second for client credentials, in memory: ours is ${times} times that`;
    return { ...measured, notes: [...measured.notes, note] };
  },
};
