/** A workload of a platform with a real issuer, that may pull from a registry of a real server. */
import assert from "node:assert/strict";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { Http } from "../../../server/test/support/client/http.ts";
import { StandInIssuer } from "../../../server/test/support/providers/issuer.ts";
import { TestServer } from "../../../server/test/support/server/test-server.ts";
import { Home } from "./auth-home.ts";

export const REGISTRY = "registry.test:5000";

/** The subject of its tokens. */
export const SUBJECT = "system:serviceaccount:prod:app";

export class RegistryWorkload {
  readonly server: TestServer;
  readonly issuer: StandInIssuer;
  readonly home: Home;
  /** The uid of its identity. */
  readonly identity: string;

  private constructor(server: TestServer, issuer: StandInIssuer, identity: string) {
    this.server = server;
    this.issuer = issuer;
    this.identity = identity;
    this.home = new Home({ WHARF_API: server.url });
  }

  static async start(flags: readonly string[] = []): Promise<RegistryWorkload> {
    const server = await TestServer.start({ flags: ["--registry-host", REGISTRY, ...flags] });
    const issuer = await StandInIssuer.start();
    const operator = new Http(server.url, await server.token());
    const { uid: parent } = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body;
    await operator.patch(`/iam/v2beta1/groups/${parent}`, { verified: true });
    const claimMatch = { issuer: issuer.url, subject: SUBJECT };
    const identities = `/iam/v2beta1/identities/${parent}`;
    const { uid: identityUid } = (await operator.post(identities, { name: "app", claimMatch }))
      .body;
    const roleUid = builtinRole("registry.pull")?.uid;
    await operator.post(`/iam/v2beta1/roleBindings/${parent}`, { identityUid, roleUid });
    return new RegistryWorkload(server, issuer, identityUid);
  }

  async stop(): Promise<void> {
    this.home.remove();
    await this.issuer.stop();
    await this.server.stop();
  }

  /** Checks that the registry's token endpoint lets these credentials pull. */
  async pulls(username: string, password: string): Promise<void> {
    const query = new URLSearchParams({ service: REGISTRY, scope: "repository:acme/app:pull" });
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    const answer = await fetch(`${this.server.url}/token?${query}`, { headers: { authorization } });
    assert.equal(answer.status, 200, await answer.clone().text());
    const { token } = (await answer.json()) as { token: string };
    const [access] = decodeJwt<{ access: { actions: string[] }[] }>(token).access;
    assert.deepEqual(access?.actions, ["pull"]);
  }
}
