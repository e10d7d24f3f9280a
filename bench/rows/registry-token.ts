import { SigningKeys } from "@wharf/server/auth/keys.ts";
import { issueToken } from "@wharf/server/auth/token.ts";
import { readSettings } from "@wharf/server/config.ts";
import { openStore } from "@wharf/server/store/open.ts";
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { ScratchData } from "../data-set.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { Program } from "../program.ts";
import type { ServedRegistryToken } from "../reference/registry-token.ts";
import { type Row, serve } from "../row.ts";
import { mustEqual } from "../verify.ts";
import type { Wharf } from "../wharf.ts";

const CONNECTIONS = 20;

/** Identities that take turns, as the workloads of an organisation would. */
const IDENTITIES = 100;

/** More than any machine of today gives: no token comes twice within a measurement. */
const TOKENS_PER_SECOND = 5_000;

/** An organisation whose identities may pull from it. */
async function pullersOf(server: Wharf): Promise<{ organisation: string; pullers: string[] }> {
  const post = async (path: string, body: object) =>
    JSON.parse(await server.rest(`/iam/v2beta1/${path}`, JSON.stringify(body)));
  const { uid: organisation } = await post("groups", { name: "organisation" });
  const { roles } = JSON.parse(await server.rest("/iam/v2beta1/roles?name=registry.pull"));
  const pullers: string[] = [];
  for (let i = 0; i < IDENTITIES; i++) {
    const claimMatch = { issuer: "https://issuer.example.com", subject: `puller-${i}` };
    const { uid } = await post(`identities/${organisation}`, { name: `puller-${i}`, claimMatch });
    await post(`roleBindings/${organisation}`, { identityUid: uid, roleUid: roles[0].uid });
    pullers.push(uid);
  }
  return { organisation, pullers };
}

/** A request for each credential, all of them different: nothing that was verified helps the next. */
async function requestsOf(server: Wharf, data: string, count: number) {
  const { organisation, pullers } = await pullersOf(server);
  const store = await openStore(await readSettings(["--data", data], {}), [], { committed() {} });
  const keys = await SigningKeys.load(store);
  await store.close();
  const { host } = new URL(server.url);
  const addresses = { baseUrl: server.url, authUrl: server.url };
  return Array.from({ length: count }, (_, i) => {
    const name = `${organisation}/app-${String(i % IDENTITIES).padStart(4, "0")}`;
    const query = new URLSearchParams({ service: host, scope: `repository:${name}:pull` });
    const content = { subject: pullers[i % IDENTITIES] as string, audiences: [host] };
    const { token } = issueToken(keys, addresses, content, Date.now());
    return { path: `/token?${query}`, token };
  });
}

type Request = Awaited<ReturnType<typeof requestsOf>>[number];

async function ask(port: number, { path, token }: Request): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
}

/** Makes sure that an answer is a token that a registry takes, and returns it. */
async function verified(server: Wharf, request: Request): Promise<string> {
  const answer = await ask(server.port, request);
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
    const { options, cores, http } = bench;
    using folder = new ScratchData();
    await using server = await serve(bench, folder.path);
    const requests = await requestsOf(server, folder.path, options.seconds * TOKENS_PER_SECOND);
    const [first] = requests as [Request];
    const answer = await verified(server, first);
    const { token } = JSON.parse(answer);
    const { kid = "", x5c = [] } = decodeProtectedHeader(token);

    await using reference = new Program<ServedRegistryToken, { port: number }>(
      "reference/registry-token.ts",
      cores.serving,
    );
    const { port } = await reference.ask({
      jwks: JSON.parse(await server.rest("/.well-known/jwks.json")),
      issuer: server.url,
      audience: new URL(server.url).host,
      header: { kid, x5c },
      access: decodeJwt(token).access as object[],
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
    return await measureLoads(bench, "per s", perSecond, bare, side(server.pid, server.port));
  },
};
