import { decodeJwt, decodeProtectedHeader } from "jose";
import { measureLoads, perSecond, type Side } from "../../measure.ts";
import { Program } from "../../program.ts";
import type { ServedClient } from "../../reference/oidc-provider.ts";
import type { Bench, Row } from "../../row.ts";
import { CONNECTIONS } from "../../token-row.ts";
import { mustEqual } from "../../verify.ts";
import { ExchangeSite } from "../exchange.ts";

type Provider = Program<ServedClient, { port: number }>;

const CLIENT = {
  id: "bench",
  secret: "a secret of the benchmark",
  resource: "https://api.test",
} as const;

/** Requests for access tokens with client credentials, the only grant that needs no user. */
async function issuing({ http }: Bench, provider: Provider): Promise<Side> {
  const { port } = await provider.ask(CLIENT);
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    resource: CLIENT.resource,
  });
  const answer = await fetch(`http://127.0.0.1:${port}/token`, { method: "POST", body: form });
  const { access_token } = (await answer.json()) as { access_token: string };
  mustEqual(decodeJwt(access_token).aud, CLIENT.resource);
  mustEqual(decodeProtectedHeader(access_token).alg, "ES256");
  return {
    pid: provider.pid,
    load: (seconds) =>
      http.ask({
        ...{ port, token: "", method: "POST", connections: CONNECTIONS, seconds },
        targets: [{ path: "/token", body: form.toString() }],
        bodyType: "application/x-www-form-urlencoded",
      }),
  };
}

export const oidcProviderRow: Row = {
  work: `exchange RS256 → ES256, ${CONNECTIONS} connections, beside oidc-provider`,
  reference: "oidc-provider, client credentials → ES256",

  async measure(bench) {
    await using site = await ExchangeSite.start(bench);
    await using provider: Provider = new Program("reference/oidc-provider.ts", bench.cores.serving);
    const { server, requests, answer } = site;
    const exchanging: Side = {
      pid: server.pid,
      load: (seconds) =>
        bench.http.ask({
          ...{ port: server.port, token: "", method: "GET", targets: requests, seconds },
          ...{ connections: CONNECTIONS, bodyBytes: answer.length },
        }),
    };
    const issued = await issuing(bench, provider);
    const measured = await measureLoads(bench, "per s", perSecond, issued, exchanging);
    const note = "oidc-provider verifies no token and stores in memory; ours keeps an audit entry";
    return { ...measured, notes: [...measured.notes, note] };
  },
};
