import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Secrets } from "../secrets/secrets.ts";
import { openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import { SigningKeys, TOKEN_LIFETIME_MS } from "./keys.ts";
import { newSigningKey } from "./new-key.ts";
import { issueToken, TokenVerifier } from "./token.ts";

const ADDRESSES = { baseUrl: "https://wharf.example", authUrl: "https://auth.example" };
const SUBJECT = "a".repeat(40);
const MINUTE_MS = 60_000;
const SECRETS = new Secrets(randomBytes(32));

const data = mkdtempSync(join(tmpdir(), "wharf-token-"));
let store: Store;
let keys: SigningKeys;
let now: number;

before(async () => {
  store = await openStore({ data, databaseUrl: "", secretKeyFile: "" }, [], { committed() {} });
  keys = await SigningKeys.load(store, SECRETS);
  now = Date.now();
});
after(async () => {
  await store.close();
  rmSync(data, { recursive: true });
});

const verifier = () => new TokenVerifier(keys, () => ADDRESSES);
const token = async () => {
  const content = { subject: SUBJECT, audiences: [ADDRESSES.baseUrl], boundary: undefined };
  return issueToken(keys, ADDRESSES, content, now).token;
};

const rotate = async (others: "overlap" | "drop") => {
  const key = await newSigningKey(Date.now());
  await store.write((tx) => SigningKeys.rotate(tx, SECRETS, [key], others));
  await keys.reload();
  return key.kid;
};

test("a token is valid for an hour", async () => {
  const issued = await token();
  const fresh = verifier();
  assert.equal((await fresh.verify(issued, now)).subject, SUBJECT);
  assert.equal((await fresh.verify(issued, now + TOKEN_LIFETIME_MS - MINUTE_MS)).subject, SUBJECT);
});

test("a cached token is verified once, and still expires", async () => {
  const issued = await token();
  const checking = verifier();
  await checking.verify(issued, now);
  await checking.verify(issued, now);
  assert.deepEqual([checking.misses, checking.hits], [1, 1]);
  await assert.rejects(
    async () => checking.verify(issued, now + TOKEN_LIFETIME_MS),
    /the token has expired/,
  );
});

test("a token without an identity is rejected with any audience", async () => {
  const content = {
    subject: `webhook:${SUBJECT}`,
    audiences: [ADDRESSES.baseUrl],
    boundary: undefined,
  };
  const { token: issued } = await issueToken(keys, ADDRESSES, content, now);
  const refusal = /^WharfError: Unauthenticated: invalid "sub"$/;
  await assert.rejects(async () => verifier().verify(issued, now), refusal);
  await assert.rejects(async () => verifier().verifyAnyAudience(issued, now), refusal);
});

test("an expired token is rejected on first use", async () => {
  const issued = await token();
  const late = async () => verifier().verify(issued, now + TOKEN_LIFETIME_MS + 1_000);
  await assert.rejects(late, /^WharfError: Unauthenticated: the token has expired$/);
});

test("a rejected token is not cached", async () => {
  const checking = verifier();
  for (let attempt = 1; attempt <= 2; attempt++) {
    await assert.rejects(async () => checking.verify("a.b.c", now), /the token is malformed/);
    assert.deepEqual([checking.misses, checking.hits], [attempt, 0]);
  }
});

test("long tokens do not make the cache larger", async () => {
  const caching = verifier();
  const MAX_BYTES = 32 * 1024 * 1024;
  let longest = 0;
  for (let at = 0; at < 1_500; at++) {
    const act = { iss: "https://issuer.example", sub: `${at}`.padEnd(11_000, "x") };
    const content = { subject: SUBJECT, audiences: [ADDRESSES.baseUrl], act, boundary: undefined };
    const { token: issued } = issueToken(keys, ADDRESSES, content, now);
    longest = Math.max(longest, issued.length);
    await caching.verify(issued, now);
    await caching.verify(issued, now);
    assert.ok(caching.bytes <= MAX_BYTES, `${caching.bytes} bytes after ${at} tokens`);
  }
  assert.ok(1_500 * longest * 2 > MAX_BYTES, "so many would not have fitted");
  assert.equal(caching.hits, 1_500, "those that came last are cached");
});

test("another spelling of a token is not accepted, nor cached", async () => {
  const issued = await token();
  const caching = verifier();
  await caching.verify(issued, now);
  const { bytes } = caching;
  for (const twin of [`${issued.slice(0, -1)}${nextOf(issued)}`, `${issued}=`, ` ${issued}`])
    await assert.rejects(async () => caching.verify(twin, now), /the token is malformed/);
  assert.equal(caching.bytes, bytes);
});

/** A last character that decodes to the same bytes: 64 bytes leave four bits of it unused. */
function nextOf(token: string): string {
  return String.fromCharCode(token.charCodeAt(token.length - 1) + 1);
}

test("a replaced key no longer signs, and its tokens are valid until it retires", async () => {
  const issued = await token();
  const remembering = verifier();
  await remembering.verify(issued, now);
  const old = keys.keyFor([]).kid;
  const next = await rotate("overlap");
  assert.equal(keys.keyFor([]).kid, next);
  assert.equal(
    (await remembering.verify(issued, now)).subject,
    SUBJECT,
    "the old key is still accepted",
  );
  const retired = now + TOKEN_LIFETIME_MS + 10 * MINUTE_MS;
  assert.equal(keys.find(old, retired), undefined);
  assert.deepEqual(
    keys.jwks(retired).keys.map((key) => key.kid),
    [next],
  );
  assert.deepEqual(new Set(keys.jwks(now).keys.map((key) => key.kid)), new Set([old, next]));
  assert.equal((await remembering.verify(await token(), now)).subject, SUBJECT);
});

test("dropped keys are rejected, those replaced earlier included", async () => {
  const remembering = verifier();
  const issued = [await token()];
  await rotate("overlap");
  issued.push(await token());
  for (const one of issued) await remembering.verify(one, now);
  const next = await rotate("drop");
  const refusal =
    /^WharfError: Unauthenticated: the token is signed with an unknown or retired key$/;
  for (const one of issued)
    for (const checking of [remembering, verifier()])
      await assert.rejects(async () => checking.verify(one, now), refusal);
  const published = keys.jwks(now).keys.map((key) => key.kid);
  assert.deepEqual(published, [next]);
  assert.equal((await remembering.verify(await token(), now)).subject, SUBJECT);
  const left = await store.reader.all<{ name: string }>("SELECT name FROM secrets");
  assert.deepEqual(
    left.map(({ name }) => name),
    [next],
    "their private halves are gone",
  );
});

test("a reload that began before a rotation does not bring the old keys back", async () => {
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  const reader = new Proxy(store.reader, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "all" || !isHeld)
        return typeof value === "function" ? value.bind(target) : value;
      return async (...question: Parameters<typeof target.all>) => {
        const rows = await target.all(...question);
        await gate.promise;
        return rows;
      };
    },
  });
  const slow = await SigningKeys.load({ reader } as Store, SECRETS);
  const old = slow.keyFor([]).kid;
  isHeld = true;
  const late = slow.reload();
  isHeld = false;
  const next = await rotate("drop");
  await slow.reload();
  assert.equal(slow.keyFor([]).kid, next);
  gate.resolve();
  await late;
  assert.equal(slow.keyFor([]).kid, next);
  assert.equal(slow.find(old, now), undefined);
});

/** Tokens of the cache are accepted at once, without a signature check, so each rule must hold there, too. */
test("a cached token is accepted at once, but only while it is valid", async () => {
  const caching = verifier();
  const issued = await token();
  assert.equal(caching.hasVerified(issued), false);
  const verified = await caching.verify(issued, now);
  assert.equal(caching.hasVerified(issued), true);
  const SKEW_MS = 30_000;
  const issuedAt = Math.floor(now / 1000) * 1000;
  for (const time of [now, issuedAt + TOKEN_LIFETIME_MS - 1, issuedAt - SKEW_MS])
    assert.equal(caching.verify(issued, time), verified, `${time - issuedAt} ms`);
  const refused = (bearer: string, time: number, message: RegExp) =>
    assert.throws(() => caching.verify(bearer, time), message);
  refused(issued, issuedAt + TOKEN_LIFETIME_MS, /the token has expired/);
  refused(issued, issuedAt - SKEW_MS - 1, /the token was issued in the future/);
  const elsewhere = { ...ADDRESSES, baseUrl: "https://other.example" };
  const other = { subject: SUBJECT, audiences: [elsewhere.baseUrl], boundary: undefined };
  const foreign = issueToken(keys, ADDRESSES, other, now).token;
  await caching.verifyAnyAudience(foreign, now);
  refused(foreign, now, /invalid "aud"/);
  await rotate("drop");
  refused(issued, now, /unknown or retired key/);
});

test("only the public key is published", () => {
  for (const key of keys.jwks(now).keys) {
    assert.deepEqual(Object.keys(key).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  }
});
