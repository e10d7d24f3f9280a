import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { ApiError } from "./support/client/api-error.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore } from "./support/world/world.ts";

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
  const seen = async (api: ApiClient, narrowing: object): Promise<string[] | ApiError> => {
    const token = await issuer.sign({ sub: "ci" });
    const request = { aud: [api.url], identity: ci, ...narrowing };
    let made: string;
    try {
      made = (await api.as(token).securityToken.exchange(request)).token;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
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
    assert.ok(refusal instanceof ApiError);
    assert.equal(refusal.code, 3);
    assert.deepEqual(Object.keys(refusal.fields), ["scopes"]);
  });

  world.rule("reveal nothing about other groups", async (api) => {
    const nobody = `${org.replace(/^./, (c) => (c === "0" ? "1" : "0"))}`;
    const texts = new Set<string>();
    for (const scope of ["secret", "no such group", "elsewhere", "", nobody, "%", "BUILDS"]) {
      const refusal = await seen(api, { scopes: [scope] });
      assert.ok(refusal instanceof ApiError, scope);
      assert.equal(refusal.code, 3);
      assert.deepEqual(Object.keys(refusal.fields), ["scopes"]);
      texts.add(refusal.message.replace(JSON.stringify(scope), "…"));
    }
    assert.equal(texts.size, 1, "existing and unknown groups look the same");
  });
});
