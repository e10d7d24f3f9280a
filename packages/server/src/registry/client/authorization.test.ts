import assert from "node:assert/strict";
import { test } from "node:test";
import { type AskForToken, Authorization, type Credentials } from "./authorization.ts";

const REGISTRY = { host: "cr.example.com", url: "https://cr.example.com" };
const SCOPE = "repository:app:pull";

/** The requests to the token endpoint, and the header for a challenge. */
async function answered(challenge: string, credentials?: Credentials) {
  const asked: { url: string; init: RequestInit }[] = [];
  const ask: AskForToken = async (url, init) => {
    asked.push({ url: url.href, init });
    return { token: "abc", expires_in: 300 };
  };
  const authorization = new Authorization(REGISTRY, async () => credentials, ask);
  authorization.challenged(challenge, SCOPE);
  const header = await authorization.headerFor(SCOPE);
  return { asked, header, authorization };
}

const BEARER = 'Bearer realm="https://auth.example.com/token?x=1",service="cr.example.com"';

test("asks for a token once for each scope", async () => {
  const { asked, header, authorization } = await answered(BEARER, {
    username: "ada",
    password: "secret",
  });
  assert.equal(header, "Bearer abc");
  await authorization.headerFor(SCOPE);
  assert.equal(asked.length, 1);
  const { searchParams } = new URL(asked[0]?.url ?? "");
  assert.deepEqual(Object.fromEntries(searchParams), {
    ...{ x: "1", service: "cr.example.com", scope: SCOPE },
  });
  const basic = `Basic ${Buffer.from("ada:secret").toString("base64")}`;
  assert.deepEqual(asked[0]?.init.headers, { authorization: basic });
  await authorization.headerFor("repository:other:pull");
  assert.equal(asked.length, 2);
});

test("sends a refresh token in the body", async () => {
  const { asked } = await answered(BEARER, { username: "<token>", password: "refresh" });
  const body = asked[0]?.init.body as URLSearchParams;
  assert.deepEqual(
    [body.get("grant_type"), body.get("refresh_token")],
    ["refresh_token", "refresh"],
  );
});

test("sends Basic where the registry asks for it", async () => {
  const { header } = await answered('Basic realm="x"', { username: "a", password: "b" });
  assert.equal(header, "Basic YTpi");
  await assert.rejects(answered('Basic realm="x"'), /requires credentials/);
});

test("sends no credentials to a token endpoint without TLS", async () => {
  const credentials = { username: "a", password: "b" };
  for (const realm of ["http://auth.example.com/token", "file:///etc/passwd", "/token", ""]) {
    await assert.rejects(answered(`Bearer realm="${realm}"`, credentials), /token endpoint/);
  }
});
