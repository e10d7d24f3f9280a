import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createWharf,
  DeadlineExceededError,
  type Sent,
  UnavailableError,
  type Wharf,
  type WharfOptions,
} from "@wharf/client";
import { freePort } from "../../server/test/support/server/free-port.ts";
import {
  errorResponse,
  hangUp,
  json,
  page,
  type Responder,
  ScriptedServer,
  silence,
} from "./support/scripted-server.ts";

interface Meeting {
  readonly server: ScriptedServer;
  readonly wharf: Wharf;
  readonly sent: Sent[];
}

async function meet(
  t: TestContext,
  responses: Responder[],
  options: Partial<WharfOptions> = {},
): Promise<Meeting> {
  const server = await ScriptedServer.start(...responses);
  t.after(() => server.stop());
  const sent: Sent[] = [];
  const onRequest = (one: Sent) => sent.push(one);
  const wharf = createWharf({ baseUrl: server.url, token: "secret-token", onRequest, ...options });
  return { server, wharf, sent };
}

const GROUP = json({ uid: "a", name: "acme", newerField: true });
const BUSY = { UNAVAILABLE: errorResponse(14, 503), RESOURCE_EXHAUSTED: errorResponse(8, 429) };

for (const [code, busy] of Object.entries(BUSY)) {
  test(`a read is tried again on ${code}, three times at most`, async (t) => {
    const good = await meet(t, [busy, busy, GROUP]);
    assert.equal((await good.wharf.groups.get({ uid: "a" })).name, "acme");
    assert.deepEqual(
      good.sent.map(({ status }) => status),
      [Number(code === "UNAVAILABLE" ? 503 : 429), good.sent[0]?.status, 200],
    );
    const bad = await meet(t, [busy]);
    await assert.rejects(bad.wharf.groups.list(), { code });
    assert.equal(bad.server.asked.length, 3);
  });
}

for (const [what, answer] of Object.entries({ "hangs up": hangUp, "is down": page(502) })) {
  test(`a read is tried again when the server ${what}`, async (t) => {
    const { server, wharf } = await meet(t, [answer, GROUP]);
    assert.equal((await wharf.groups.get({ uid: "a" })).uid, "a");
    assert.equal(server.asked.length, 2);
  });
}

const WRITES: Record<string, (wharf: Wharf) => Promise<unknown>> = {
  update: ({ groups }) => groups.update({ group: { uid: "a", name: "acme" } }),
  delete: ({ groups }) => groups.delete({ uid: "a" }),
  "refresh of a session": ({ sts }) => sts.exchangeRefreshToken({ aud: ["a"] }),
};
for (const [what, write] of Object.entries(WRITES)) {
  test(`never sent twice: ${what}`, async (t) => {
    for (const answer of [hangUp, page(503), errorResponse(14, 503), errorResponse(8, 429)]) {
      const { server, wharf } = await meet(t, [answer, GROUP]);
      await assert.rejects(write(wharf), /UnavailableError|ResourceExhaustedError/);
      assert.equal(server.asked.length, 1);
    }
  });
}

const UNKNOWN_OUTCOME: Responder = (_, response) => {
  const type = "type.googleapis.com/google.rpc.ErrorInfo";
  const details = [{ "@type": type, reason: "COMMIT_OUTCOME_UNKNOWN", domain: "x" }];
  response.writeHead(500, { "content-type": "application/json" });
  response.end(JSON.stringify({ code: 2, message: "Unknown: it may be there", details }));
};
for (const [what, answer] of Object.entries({
  "hangs up": hangUp,
  "is down": page(502),
  "is unavailable": errorResponse(14, 503),
  "is overloaded": errorResponse(8, 429, { "retry-after": "0" }),
  "does not know whether it has committed": UNKNOWN_OUTCOME,
})) {
  test(`a create is sent again with the same key when the server ${what}`, async (t) => {
    const { server, wharf } = await meet(t, [answer, GROUP]);
    for (const options of [{}, {}, { idempotencyKey: "mine" }]) {
      await wharf.groups.create({ group: { name: "acme" } }, options);
    }
    const [first, again, second, third] = server.asked.map(({ key }) => key);
    assert.match(first ?? "", /^[0-9a-f]{32}$/);
    assert.equal(again, first);
    assert.match(second ?? "", /^[0-9a-f]{32}$/);
    assert.notEqual(second, first, "each call has its own");
    assert.equal(third, "mine");
  });
}

for (const [what, answer] of Object.entries({
  "a request that is too large": errorResponse(8, 413),
  "a conflict": errorResponse(10, 409),
  "an unknown error": errorResponse(2, 500),
})) {
  test(`a create is not sent again after ${what}`, async (t) => {
    const { server, wharf } = await meet(t, [answer, GROUP]);
    await assert.rejects(wharf.groups.create({ group: { name: "acme" } }));
    assert.equal(server.asked.length, 1);
  });
}

test("only creates have a key", async (t) => {
  const { server, wharf } = await meet(t, [GROUP]);
  await wharf.groups.get({ uid: "a" }, { idempotencyKey: "k" });
  await wharf.groups.update({ group: { uid: "a", name: "b" } }, { idempotencyKey: "k" });
  assert.deepEqual(
    server.asked.map(({ key }) => key),
    [undefined, undefined],
  );
});

for (const [code, answer] of Object.entries({
  NOT_FOUND: errorResponse(5, 404),
  INTERNAL: errorResponse(13, 500),
  ABORTED: errorResponse(10, 409),
  DEADLINE_EXCEEDED: errorResponse(4, 504),
})) {
  test(`${code} is not retried`, async (t) => {
    const { server, wharf } = await meet(t, [answer, GROUP]);
    await assert.rejects(wharf.groups.get({ uid: "a" }), { code });
    assert.equal(server.asked.length, 1);
  });
}

test("the server's own word is waited for", async (t) => {
  const { server, wharf } = await meet(t, [errorResponse(8, 429, { "retry-after": "1" }), GROUP]);
  await wharf.groups.get({ uid: "a" });
  const [first, second] = server.asked;
  assert.ok(first && second && second.at - first.at >= 990);
});

test("no retry waits past the deadline", async (t) => {
  const far = errorResponse(14, 503, { "retry-after": "3600" });
  const { server, wharf } = await meet(t, [far, GROUP], { timeoutMs: 60_000 });
  const refused = wharf.groups.get({ uid: "a" });
  await assert.rejects(refused, { code: "UNAVAILABLE", retryAfterMs: 3_600_000 });
  assert.equal(server.asked.length, 1);
});

test("how often is up to the caller", async (t) => {
  const { server, wharf } = await meet(t, [hangUp], { retries: 0 });
  await assert.rejects(wharf.groups.get({ uid: "a" }), UnavailableError);
  assert.equal(server.asked.length, 1);
});

test("a server that is not there is unavailable, and the cause says why", async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const wharf = createWharf({ baseUrl });
  await assert.rejects(wharf.ping.ping(), (error) => {
    assert.ok(error instanceof UnavailableError);
    assert.match(error.message, /^Unavailable: no response from http:.*ECONNREFUSED/);
    assert.ok(error.cause instanceof Error);
    assert.equal(error.requestId, undefined);
    return true;
  });
});

test("a server that says nothing exceeds the deadline", async (t) => {
  const { wharf, sent } = await meet(t, [silence], { timeoutMs: 100 });
  await assert.rejects(wharf.groups.get({ uid: "a" }), DeadlineExceededError);
  await assert.rejects(wharf.groups.get({ uid: "a" }, { timeoutMs: 50 }), /within 50 ms/);
  assert.deepEqual(
    sent.map(({ status }) => status),
    [0, 0],
  );
});

test("who gives up gets their own reason, in a request and between two", async (t) => {
  const quiet = await meet(t, [silence]);
  const controller = new AbortController();
  const waiting = quiet.wharf.groups.get({ uid: "a" }, { signal: controller.signal });
  while (quiet.server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await assert.rejects(waiting, (error) => error === controller.signal.reason);
  await assert.rejects(waiting, { name: "AbortError" });

  const busy = await meet(t, [errorResponse(14, 503, { "retry-after": "20" })]);
  const reason = new Error("changed my mind");
  const second = new AbortController();
  const paused = busy.wharf.groups.get({ uid: "a" }, { signal: second.signal });
  while (busy.sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  second.abort(reason);
  await assert.rejects(paused, (error) => error === reason);
  assert.equal(busy.server.asked.length, 1);

  const before = { signal: AbortSignal.abort(reason) };
  await assert.rejects(busy.wharf.groups.get({ uid: "a" }, before), (error) => error === reason);
  assert.equal(busy.server.asked.length, 1);
});

test("onRequest sees everything but the token", async (t) => {
  const { wharf, sent, server } = await meet(t, [GROUP]);
  await wharf.groups.get({ uid: "a" });
  const [one] = sent;
  assert.deepEqual([one?.method, one?.status], ["GET", 200]);
  assert.equal(one?.url, `${server.url}/iam/v2beta1/groups/a`);
  assert.ok(one && one.ms >= 0);
  assert.equal(server.asked[0]?.token, "secret-token");
  assert.ok(!JSON.stringify(sent).includes("secret-token"));
});

test("responses of proxies are not taken for the server's", async (t) => {
  const html = await meet(t, [page(200)]);
  await assert.rejects(html.wharf.groups.get({ uid: "a" }), { code: "INTERNAL", httpStatus: 200 });
  const teapot = await meet(t, [page(418)]);
  await assert.rejects(teapot.wharf.groups.get({ uid: "a" }), { code: "UNKNOWN", httpStatus: 418 });
  const elsewhere = await ScriptedServer.start(GROUP);
  t.after(() => elsewhere.stop());
  const moved: Responder = (_, response) =>
    response.writeHead(307, { location: `${elsewhere.url}/x` }).end();
  const redirect = await meet(t, [moved]);
  await assert.rejects(redirect.wharf.groups.get({ uid: "a" }), UnavailableError);
  assert.equal(elsewhere.asked.length, 0, "the token goes nowhere else");
});

test("values stay where they belong in a path", async (t) => {
  const { server, wharf } = await meet(t, [GROUP]);
  for (const uid of ["", "..", "../identities", "a/../../b", "."]) {
    await assert.rejects(wharf.groups.get({ uid }), { code: "INVALID_ARGUMENT" }, uid);
    await assert.rejects(wharf.groups.delete({ uid }), { code: "INVALID_ARGUMENT" }, uid);
    const update = wharf.groups.update({ group: { uid, name: "x" } });
    await assert.rejects(update, { code: "INVALID_ARGUMENT" }, uid);
  }
  assert.equal(server.asked.length, 0);
  await wharf.groups.get({ uid: "a/b?c#d:e%2f" });
  assert.equal(server.asked[0]?.what, "GET /iam/v2beta1/groups/a/b%3Fc%23d%3Ae%252f");
  await wharf.groups.create({ parent: "a/b", group: { name: "x" } });
  assert.deepEqual(
    [server.asked[1]?.what, server.asked[1]?.body],
    ["POST /iam/v2beta1/groups/a/b", '{"name":"x"}'],
  );
  await wharf.sts.exchange({ aud: ["a", "b&c"], identity: "i" });
  assert.deepEqual(
    [server.asked[2]?.what, server.asked[2]?.body],
    ["POST /sts/exchange", "aud=a&aud=b%26c&identity=i"],
  );
  await wharf.repos.getReadme({ uid: "a/b" });
  assert.equal(server.asked[3]?.what, "GET /registry/v2beta1/repos/a/b/readme");
});

test("tokens are exchanged where the issuer is, below any path", async (t) => {
  const issuer = await meet(t, [json({ token: "t" })]);
  const authUrl = `${issuer.server.url}/issuer/`;
  const { server, wharf } = await meet(t, [GROUP], { authUrl });
  assert.equal((await wharf.sts.exchange({ aud: ["a"] })).token, "t");
  await wharf.groups.get({ uid: "a" });
  assert.deepEqual(
    [issuer.server.asked, server.asked].map((asked) => asked.map(({ what }) => what)),
    [["POST /issuer/sts/exchange"], ["GET /iam/v2beta1/groups/a"]],
  );
});
