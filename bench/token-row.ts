/** Shared by the rows that issue tokens: callers, requests and reference. */
import { measureLoads, perSecond, type Side } from "./measure.ts";
import { Program } from "./program.ts";
import type { Bench, Measured } from "./row.ts";
import { mustEqual } from "./verify.ts";
import type { Wharf } from "./wharf.ts";

export const CONNECTIONS = 20;

/** Identities that request tokens alternately, like the workloads of an organization. */
export const IDENTITIES = 100;

/** A request for a token. */
export interface TokenRequest {
  readonly path: string;
  /** The token that is exchanged. */
  readonly token: string;
}

/** An organization whose identities have a role in it. */
export async function organizationWith(
  server: Wharf,
  role: string,
  claimMatchOf: (at: number) => object,
): Promise<{ organization: string; identities: string[] }> {
  const post = async (path: string, body: object) =>
    JSON.parse(await server.rest(`/iam/v2beta1/${path}`, JSON.stringify(body)));
  const { uid: organization } = await post("groups", { name: "organization" });
  const { roles } = JSON.parse(await server.rest(`/iam/v2beta1/roles?name=${role}`));
  const identities: string[] = [];
  for (let at = 0; at < IDENTITIES; at++) {
    const identity = { name: `identity-${at}`, claimMatch: claimMatchOf(at) };
    const { uid } = await post(`identities/${organization}`, identity);
    await post(`roleBindings/${organization}`, { identityUid: uid, roleUid: roles[0].uid });
    identities.push(uid);
  }
  return { organization, identities };
}

export async function askForToken(port: number, { path, token }: TokenRequest): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
}

/** Measures how many tokens the server issues, and how many a bare reference program. */
export async function measureTokens<Job extends object>(
  bench: Bench,
  server: Wharf,
  requests: readonly TokenRequest[],
  answer: string,
  program: string,
  job: Job,
): Promise<Measured> {
  await using reference = new Program<Job, { port: number }>(program, bench.cores.serving);
  const { port } = await reference.ask(job);
  mustEqual((await askForToken(port, requests[0] as TokenRequest)).length, answer.length);
  const side = (pid: number, to: number): Side => ({
    pid,
    load: (seconds) =>
      bench.http.ask({
        ...{ port: to, token: "", method: "GET", targets: requests },
        ...{ connections: CONNECTIONS, seconds, bodyBytes: answer.length },
      }),
  });
  const bare = side(reference.pid, port);
  return await measureLoads(bench, "per s", perSecond, bare, side(server.pid, server.port));
}
