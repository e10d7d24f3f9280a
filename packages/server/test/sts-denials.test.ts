import assert from "node:assert/strict";
import { after, before } from "node:test";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore } from "./support/world/world.ts";

interface Entry {
  readonly detail: Readonly<Record<string, unknown>>;
}

onEachStore("denied exchanges in the audit log", (world) => {
  let issuer: StandInIssuer;
  before(async () => {
    issuer = await StandInIssuer.start();
  });
  after(() => issuer.stop());

  world.rule("are there, however many strangers are denied", async (api) => {
    const { url } = world.server;
    const org = await world.organization();
    const owner = await world.member({ [org]: "owner" });
    const claimMatch = { issuer: issuer.url, subject: "ci", claims: { env: "prod" } };
    const { uid: ci } = await api.identities.create(org, { name: "ci", claimMatch });
    const strangers = await StandInIssuer.start();
    try {
      // The text of the denial has the audience, so each of them is of another kind.
      for (let at = 0; at < 50; at++) {
        const identity = at % 2 ? ci : `${"f".repeat(38)}${at + 10}`;
        const token = await strangers.sign({ sub: `stranger ${at}` });
        const aud = at % 3 ? `https://${at}.example` : url;
        const { status } = await exchange(url, token, { aud, identity });
        assert.notEqual(status, 200);
      }
    } finally {
      await strangers.stop();
    }
    const own = await issuer.sign({ sub: "ci", env: "staging" });
    assert.equal((await exchange(url, own, { aud: url, identity: ci })).status, 403);
    const { entries } = await api.as(owner.token).audit.listAuditEntries({
      filter: { resource: ci, outcome: "AUDIT_OUTCOME_DENIED" },
    });
    const [newest] = entries as Entry[];
    assert.equal(newest?.detail.subject, "ci");
    assert.equal(newest?.detail.issuer, issuer.url);
    assert.match(String(newest?.detail.refused), /env/);
    assert.equal(newest?.detail.isVerified, undefined);
  });
});
