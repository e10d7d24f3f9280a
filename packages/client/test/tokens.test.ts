import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createWharf,
  type Token,
  type TokenRequest,
  type TokenSource,
  tokens,
  UnauthenticatedError,
} from "@wharf/client";
import { cachedSource } from "../src/tokens/cached.ts";
import { expiryOf } from "../src/tokens/source.ts";
import { errorResponse, json, type Responder, ScriptedServer } from "./support/scripted-server.ts";

const GROUP = json({ uid: "a", name: "acme" });
const EXPIRED = errorResponse(16, 401);

/** A source whose tokens are t1, t2, … and that remembers as real ones do. */
function counting(expires?: () => Date): TokenSource & { readonly asked: TokenRequest[] } {
  const asked: TokenRequest[] = [];
  const source = cachedSource(async (request): Promise<Token> => {
    asked.push(request);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { token: `t${asked.length}`, expires: expires?.() };
  });
  return { get: source.get, asked };
}

async function started(t: TestContext, ...responses: Responder[]): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(...responses);
  t.after(() => server.stop());
  return server;
}

const inSeconds = (seconds: number) => () => new Date(Date.now() + seconds * 1000);

test("however many ask at once, one token is got", async (t) => {
  const server = await started(t, GROUP);
  const token = counting(inSeconds(3600));
  const wharf = createWharf({ baseUrl: server.url, token });
  await Promise.all(Array.from({ length: 20 }, () => wharf.groups.get({ uid: "a" })));
  await wharf.groups.get({ uid: "a" });
  assert.equal(token.asked.length, 1);
  assert.deepEqual(new Set(server.asked.map((one) => one.token)), new Set(["t1"]));
  assert.equal(token.asked[0]?.audience, server.url);
});

test("a token is replaced a minute before its end", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const ending = counting(inSeconds(55));
  const lasting = counting(inSeconds(65));
  const endless = counting();
  for (const source of [ending, lasting, endless]) {
    await source.get({});
    await source.get({});
  }
  assert.deepEqual(
    [ending, lasting, endless].map(({ asked }) => asked.length),
    [2, 1, 1],
  );
});

test("each audience has a token of its own", async () => {
  const source = counting();
  const [one, two, again] = [
    await source.get({ audience: "a" }),
    await source.get({ audience: "b" }),
    await source.get({ audience: "a" }),
  ];
  assert.deepEqual([one.token, two.token, again.token], ["t1", "t2", "t1"]);
});

test("what failed is tried again by the next who asks", async () => {
  let tries = 0;
  const source = cachedSource(async () => {
    tries++;
    if (tries === 1) throw new Error("not yet");
    return { token: "t" };
  });
  await assert.rejects(source.get({}), /not yet/);
  assert.equal((await source.get({})).token, "t");
});

test("who gives up leaves the others their token", async () => {
  const source = counting();
  const controller = new AbortController();
  const leaving = source.get({ signal: controller.signal });
  const staying = source.get({});
  controller.abort();
  await assert.rejects(leaving, { name: "AbortError" });
  assert.equal((await staying).token, "t1");
  assert.equal(source.asked.length, 1);
});

test("a rejected token is replaced once, also for writes", async (t) => {
  const server = await started(t, EXPIRED, GROUP);
  const wharf = createWharf({ baseUrl: server.url, token: counting(inSeconds(3600)) });
  await wharf.groups.create({ group: { name: "acme" } });
  assert.deepEqual(
    server.asked.map(({ what, token }) => [what, token]),
    [
      ["POST /iam/v2beta1/groups", "t1"],
      ["POST /iam/v2beta1/groups", "t2"],
    ],
  );
});

test("a second rejection is reported", async (t) => {
  const server = await started(t, EXPIRED);
  const token = counting(inSeconds(3600));
  const wharf = createWharf({ baseUrl: server.url, token });
  await assert.rejects(wharf.groups.list(), UnauthenticatedError);
  assert.equal(server.asked.length, 2);
  assert.deepEqual(
    token.asked.map(({ force }) => force ?? false),
    [false, true],
  );
});

test("concurrent rejected calls share one new token", async (t) => {
  const server = await started(t);
  server.responses = [
    (request, response) => {
      const old = request.headers.authorization === "Bearer t1";
      (old ? EXPIRED : GROUP)(request, response);
    },
  ];
  const token = counting(inSeconds(3600));
  const wharf = createWharf({ baseUrl: server.url, token });
  await Promise.all(Array.from({ length: 20 }, () => wharf.groups.get({ uid: "a" })));
  assert.equal(token.asked.length, 2);
});

test("a token that cannot be replaced is not sent again", async (t) => {
  const server = await started(t, EXPIRED);
  for (const token of ["mine", tokens.fixed(" mine\n")]) {
    const wharf = createWharf({ baseUrl: server.url, token });
    await assert.rejects(wharf.groups.list(), UnauthenticatedError);
  }
  assert.deepEqual(
    server.asked.map(({ token }) => token),
    ["mine", "mine"],
  );
});

test("without a token none is sent", async (t) => {
  const server = await started(t, json({}));
  await createWharf({ baseUrl: server.url }).ping.ping();
  assert.equal(server.asked[0]?.token, "");
});

test("the end of a token is read from it, where it says one", () => {
  const claims = (value: unknown) =>
    `h.${Buffer.from(JSON.stringify(value)).toString("base64url")}.s`;
  assert.equal(expiryOf(claims({ exp: 1_800_000_000, é: "ÿ?>" }))?.getTime(), 1_800_000_000_000);
  for (const text of ["", "a", "a.b.c", "a.%.c", claims({}), claims({ exp: "1" }), claims(null)]) {
    assert.equal(expiryOf(text), undefined, text);
  }
});
