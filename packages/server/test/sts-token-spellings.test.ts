import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The order of the group of P-256. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Other texts that decode to the same bytes. */
function respellings(part: string): string[] {
  const bytes = Buffer.from(part, "base64url");
  const spareBits = [...ALPHABET]
    .map((last) => part.slice(0, -1) + last)
    .filter((text) => text !== part && Buffer.from(text, "base64url").equals(bytes));
  return [
    ...spareBits,
    `${part}=`,
    `${part}==`,
    `${part}\t`,
    `${part.slice(0, 4)} ${part.slice(4)}`,
  ];
}

/** The other ECDSA signature of the same content: (r, n − s). */
function ecdsaTwin(token: string): string {
  const [header, payload, signature = ""] = token.split(".");
  const bytes = Buffer.from(signature, "base64url");
  const s = N - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
  const flipped = Buffer.from(s.toString(16).padStart(64, "0"), "hex");
  const twin = Buffer.concat([bytes.subarray(0, 32), flipped]).toString("base64url");
  return `${header}.${payload}.${twin}`;
}

onEachStore("one token has one spelling", (world) => {
  let issuer: StandInIssuer;
  let ci: string;
  let name: string;
  before(async () => {
    issuer = await StandInIssuer.start();
    await issuer.addKey("ec", "ES256");
    const org = await world.organization();
    name = world.name("ci");
    const claimMatch = { issuer: issuer.url, subject: name };
    ci = (await world.operator().identities.create(org, { name, claimMatch })).uid;
    await world.bind(org, ci, "viewer");
  });
  after(() => issuer.stop());

  const ask = (token: string) => {
    const { url } = world.server;
    return exchange(url, token, { aud: url, identity: ci });
  };
  const digests = async () => {
    const sql = "SELECT code, detail FROM audit WHERE method LIKE '%/Exchange' ORDER BY id";
    const rows = await rawRows<{ code: number; detail: string }>(world.server, sql);
    return rows
      .filter(({ detail }) => detail.includes(ci))
      .map(({ code, detail }) => ({ code: Number(code), ...JSON.parse(detail) }));
  };

  test("a rejected spelling has the digest of the token in the audit log", async () => {
    const token = await issuer.sign({ sub: name, jti: world.name() }, { kid: "ec" });
    await ask(token);
    // The first rejection of a kind has a row of its own; those that follow share one.
    await ask(respellings(token)[0] as string);
    const [first, second] = (await digests()).slice(-2);
    assert.deepEqual([first.code, second.code], [0, 16]);
    assert.equal(first.tokenSha256, second.tokenSha256);
  });

  test("other spellings of any part are rejected in the exchange", async () => {
    const token = await issuer.sign({ sub: name }, { kid: "ec" });
    assert.equal((await ask(token)).status, 200);
    const parts = token.split(".");
    for (const [at, part] of parts.entries()) {
      for (const other of respellings(part)) {
        const text = parts.with(at, other).join(".");
        // Clients do not send a header that ends in white space.
        if (text !== text.trim()) continue;
        const { status, message } = await ask(text);
        assert.notEqual(status, 200, JSON.stringify(other.slice(-6)));
        // White space ends the token, and what is before it is another.
        if (!/\s/.test(text)) assert.match(message, /malformed/);
      }
    }
  });

  test("both signatures of one content are one token in the audit log", async () => {
    const token = await issuer.sign({ sub: name, jti: world.name() }, { kid: "ec" });
    const known = (await digests()).length;
    for (const text of [token, ecdsaTwin(token)]) assert.equal((await ask(text)).status, 200);
    const [first, second, ...more] = (await digests()).slice(known);
    assert.deepEqual([first.code, second.code, more], [0, 0, []]);
    assert.equal(first.tokenSha256, second.tokenSha256);
    await ask(await issuer.sign({ sub: name, jti: world.name() }, { kid: "ec" }));
    assert.notEqual((await digests()).at(-1).tokenSha256, first.tokenSha256, "another token");
  });

  test("other spellings of our own tokens are rejected as bearer tokens", async () => {
    const { token } = await ask(await issuer.sign({ sub: name }));
    const status = async (text: string) =>
      (await new Http(world.server.url, text).get("/iam/v2beta1/groups")).status;
    assert.equal(await status(token), 200);
    const parts = token.split(".");
    for (const [at, part] of parts.entries()) {
      const others = respellings(part).map((other) => parts.with(at, other).join("."));
      for (const text of others.filter((one) => one === one.trim()))
        assert.equal(await status(text), 401, JSON.stringify(text.slice(-6)));
    }
  });
});
