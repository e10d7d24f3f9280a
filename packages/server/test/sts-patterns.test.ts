import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { JWTPayload } from "jose";
import { rejected } from "./support/client/api-error.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { onEachStore } from "./support/world/world.ts";

/** Within the bounds of patterns, and slow: each character can end each of its repetitions. */
const SLOW = "(?:.?.?.?.?){300}.*";
const LONG = "a".repeat(3_800);
const LIMIT = /its pattern takes more than 100000 steps/;
const ISSUER_LIMIT = /invalid "iss": its pattern takes more than 20000 steps/;

onEachStore("patterns of identities", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
  });
  after(() => issuer.stop());

  const identity = async (claimMatch: object): Promise<string> =>
    (await world.operator().identities.create(org, { name: world.name(), claimMatch })).uid;
  const ask = (token: string, uid: string) =>
    exchange(world.server.url, token, { aud: world.server.url, identity: uid });
  const stopped = async (claimMatch: object, claims: JWTPayload, why: RegExp) => {
    const { code, message } = await ask(await issuer.sign(claims), await identity(claimMatch));
    assert.equal(code, 7, message);
    assert.match(message, why);
  };

  test("a pattern that exceeds its steps for a value fails with a reason", async () => {
    const subjectPattern = SLOW;
    await stopped({ issuer: issuer.url, subjectPattern }, { sub: LONG }, LIMIT);
    const slow = await identity({ issuer: issuer.url, subjectPattern });
    const { status } = await ask(await issuer.sign({ sub: "a short one" }), slow);
    assert.equal(status, 200, "the same pattern does for a value of ordinary length");
  });

  test("the patterns of an identity share a step budget", async () => {
    const half = "(?:.?.?.?.?){70}.*";
    const claimPatterns = { a: half, b: half, c: half, d: half };
    const value = "a".repeat(150);
    const claims = { sub: "x", a: value, b: value, c: value, d: value };
    const alone = await identity({ issuer: issuer.url, subject: "x", claimPatterns: { a: half } });
    assert.equal((await ask(await issuer.sign(claims), alone)).status, 200);
    await stopped({ issuer: issuer.url, subject: "x", claimPatterns }, claims, LIMIT);
  });

  test("issuer patterns have a smaller budget, since any caller can trigger them", async () => {
    const issuerPattern = "(?:.?.?.?.?){200}.*";
    const iss = `https://issuer.example/${"a".repeat(900)}`;
    await stopped({ issuerPattern, subject: "x" }, { sub: "x", iss }, ISSUER_LIMIT);
    await stopped(
      { issuerPattern, subject: "x" },
      { sub: "x", iss: `${iss}${LONG}` },
      /invalid "iss"$/,
    );
  });

  test("patterns are evaluated after the signature, the time claims and exact values", async () => {
    const claimMatch = { issuer: issuer.url, subjectPattern: SLOW, claims: { env: "prod" } };
    const uid = await identity(claimMatch);
    const refusal = async (claims: object, change = (token: string) => token) =>
      (await ask(change(await issuer.sign({ sub: LONG, env: "prod", ...claims })), uid)).message;
    assert.match(await refusal({}), LIMIT);
    const unsigned = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;
    assert.match(await refusal({}, unsigned), /signature is invalid/);
    assert.match(await refusal({ exp: 1_000_000 }), /has expired/);
    assert.match(await refusal({ env: "test" }), /invalid "env"/);
    assert.match(await refusal({ aud: "elsewhere" }), /invalid "aud"/);
  });

  world.rule("a test has the same budget, and evaluates nothing unsigned", async (api) => {
    const claimPatterns = { a: SLOW, b: SLOW };
    const uid = await identity({ issuer: issuer.url, subjectPattern: SLOW, claimPatterns });
    const token = await issuer.sign({ sub: LONG, a: LONG, b: LONG });
    const { allowed, checks } = await api.identities.testIdentity({ uid, token });
    assert.equal(allowed, false);
    const expected = (claim: string, all = checks) =>
      all.find((check: { claim: string }) => check.claim === claim)?.expected;
    for (const claim of ["sub", "a", "b"])
      assert.match(expected(claim), /\(takes more than 100000 steps\)$/);
    const unsigned = `${token.slice(0, -8)}AAAAAAAA`;
    const { checks: others } = await api.identities.testIdentity({ uid, token: unsigned });
    for (const claim of ["sub", "a", "b"])
      assert.match(expected(claim, others), /\(not evaluated without a valid signature\)$/);
  });

  test("patterns with classes that are slow to compile are rejected", async () => {
    for (const subjectPattern of ["\\pL".repeat(600), "(?i)[B-\\x{1E900}]".repeat(100)]) {
      const { code, fields } = await rejected(identity({ issuer: issuer.url, subjectPattern }));
      assert.deepEqual([code, Object.keys(fields)], [3, ["claimMatch.subjectPattern"]]);
    }
  });
});
