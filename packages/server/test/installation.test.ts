import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { type Member, onEachStore } from "./support/world/world.ts";

onEachStore("the installation as an API", (world) => {
  let org: string;
  let owner: Member;
  before(async () => {
    org = await world.organization("acme");
    owner = await world.member({ [org]: "owner" });
  });

  world.rule("tells every caller its addresses, and only the operator its state", async (api) => {
    const theirs = api.as(owner.token);
    const { baseUrl, redirectUri, registryHosts } = await theirs.installation.getInstallation({});
    assert.equal(baseUrl, world.server.url);
    assert.equal(redirectUri, `${world.server.url}/oauth/callback`);
    assert.deepEqual(registryHosts, [new URL(world.server.url).host]);
    for (const method of [
      "getInstallationStatus",
      "listSigningKeys",
      "rotateSigningKeys",
    ] as const) {
      const error = await rejected(theirs.installation[method]({}));
      assert.equal(error.code, 7, method);
    }
    const status = await api.installation.getInstallationStatus({});
    assert.match(status.database, /^(sqlite|postgres)$/);
    assert.equal(status.problem, "");
    assert.deepEqual(status.auditSinks, []);
  });

  world.rule(
    "rotates the keys of tokens, and accepts those that were issued before",
    async (api) => {
      const { kid } = await api.installation.rotateSigningKeys({});
      const { signingKeys } = await api.installation.listSigningKeys({});
      const [current, ...others] = signingKeys as { kid: string; state: unknown }[];
      assert.equal(current?.kid, kid);
      assert.ok(others.length > 0);
      // The token of the owner was signed with a key that retires now.
      await api.as(owner.token).groups.get(org);
      const { entries } = await api.audit.listAuditEntries({
        filter: { method: "RotateSigningKeys" },
      });
      assert.equal((entries[0] as { detail: { kid: string } }).detail.kid, kid);
    },
  );

  world.rule("counts audit entries over time, of what the caller may see", async (api) => {
    const theirs = api.as(owner.token);
    const folder = await theirs.groups.create(org, { name: world.name() });
    for (const name of ["one", "two"]) await theirs.groups.create(folder.uid, { name });
    const stranger = await world.member();
    await rejected(api.as(stranger.token).groups.create(folder.uid, { name: "three" }));
    const [since, until] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const filter = { resource: folder.uid, method: "CreateGroup", since, until };
    const sums = (counts: readonly Record<string, string>[]) =>
      ["succeeded", "denied", "failed"].map((name) =>
        counts.reduce((sum, one) => sum + Number(one[name] ?? 0), 0),
      );
    const { counts } = await theirs.audit.getAuditEntryCounts({ filter, intervals: 10 });
    assert.equal(counts.length, 10);
    assert.deepEqual(sums(counts), [3, 1, 0]);
    const seen = await api.as(stranger.token).audit.getAuditEntryCounts({ filter, intervals: 2 });
    assert.deepEqual(sums(seen.counts), [0, 0, 0]);
    for (const [change, field] of [
      [{ intervals: 101 }, "intervals"],
      [{ filter: { ...filter, since: undefined } }, "filter.since"],
      [{ filter: { ...filter, outcome: "AUDIT_OUTCOME_DENIED" } }, "filter.outcome"],
    ] as const) {
      const error = await rejected(theirs.audit.getAuditEntryCounts({ filter, ...change }));
      assert.deepEqual([error.code, Object.keys(error.fields)], [3, [field]]);
    }
  });

  test("has no private key in what it lists", async () => {
    const { body } = await world.http.get("/installation/v2beta1/signingKeys");
    assert.deepEqual(Object.keys(body.signingKeys[0]).sort(), [
      "algorithm",
      "createTime",
      "kid",
      "state",
      "use",
    ]);
  });
});
