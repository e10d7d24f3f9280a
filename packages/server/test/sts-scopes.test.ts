import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { ServiceError } from "@grpc/grpc-js";
import { type Api, Refusal } from "./support/client/api-client.ts";
import { refusalOf } from "./support/client/over-grpc.ts";
import { exchange, exchangeOverGrpc } from "./support/client/token-exchange.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore } from "./support/world/world.ts";

async function overRest(api: Api, upstream: string, request: object): Promise<string | Refusal> {
  const { token, code, message, details } = await exchange(api.url, upstream, { ...request });
  return code === 0 ? token : new Refusal(code, message, details);
}

async function overGrpc(api: Api, upstream: string, request: object): Promise<string | Refusal> {
  const service = "wharf.oidc.SecurityTokenService";
  return exchangeOverGrpc(api.url, service, upstream, request).catch((error: ServiceError) => {
    const refusal = refusalOf(error);
    if (refusal instanceof Refusal) return refusal;
    throw refusal;
  });
}

onEachStore("scopes of a token exchange", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  let folder: string;
  let ci: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization("scopes");
    folder = await world.group(org, "builds");
    await world.group(folder, "deep");
    for (const parent of [org, folder]) await world.group(parent, "twice");
    const { uid } = await world.operator().identities.create(org, {
      name: "ci",
      claimMatch: { issuer: issuer.url, subject: "ci" },
    });
    ci = uid;
    await world.bind(org, ci, "viewer");
    const elsewhere = await world.organization("elsewhere");
    for (const name of ["secret", "builds"]) await world.group(elsewhere, name);
  });
  after(() => issuer.stop());

  /** The names of the groups that an exchanged token sees, or the refusal. */
  const seen = async (api: Api, narrowing: object): Promise<string[] | Refusal> => {
    const token = await issuer.sign({ sub: "ci" });
    const request = { aud: [api.url], identity: ci, ...narrowing };
    const made =
      api.protocol === "gRPC"
        ? await overGrpc(api, token, request)
        : await overRest(api, token, request);
    if (made instanceof Refusal) return made;
    const { groups } = await api.as(made).groups.list({ orderBy: "name" });
    return groups.map((group: { name: string }) => group.name);
  };

  world.rule("are groups by uid or path, within the grants of the identity", async (api) => {
    const builds = ["builds", "deep", "twice"];
    assert.deepEqual(await seen(api, { scopes: [folder] }), builds);
    assert.deepEqual(
      await seen(api, { scopes: ["builds"] }),
      builds,
      "another one elsewhere is no matter",
    );
    assert.deepEqual(await seen(api, { scope: "deep" }), ["deep"]);
    assert.deepEqual(await seen(api, { scopes: ["deep", folder] }), builds);
    assert.equal(((await seen(api, { scopes: ["scopes"] })) as string[]).length, 5);
  });

  world.rule("must be unambiguous", async (api) => {
    const refusal = await seen(api, { scopes: ["twice"] });
    assert.ok(refusal instanceof Refusal);
    assert.equal(refusal.code, 3);
    assert.deepEqual(refusal.fields, {
      scopes: 'several groups are named "twice": use a uid',
    });
  });

  world.rule("reveal nothing about other groups", async (api) => {
    const nobody = `${org.replace(/^./, (c) => (c === "0" ? "1" : "0"))}`;
    for (const scope of ["secret", "no such group", "elsewhere", "", nobody, "%", "BUILDS"]) {
      const refusal = await seen(api, { scopes: [scope] });
      assert.ok(refusal instanceof Refusal, scope);
      assert.equal(refusal.code, 3);
      assert.deepEqual(refusal.fields, {
        scopes: `${JSON.stringify(scope)} is not a group in which the identity holds a capability`,
      });
    }
  });
});
