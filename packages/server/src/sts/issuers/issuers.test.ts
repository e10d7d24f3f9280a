import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/net/fetch-json.ts";
import { Checks } from "../verify/checks.ts";
import { exactly, type Matcher, pattern } from "../verify/matcher.ts";
import { checkSignature } from "../verify/signature.ts";
import { IssuerPolicy } from "./issuer-policy.ts";
import { Issuers } from "./issuers.ts";

const CONCURRENCY = 16;
const NEVER_MS = 600_000;

/** Issuers by path on one server: `/hang…` never responds, `/good…` responds, others fail. */
class ManyIssuers {
  readonly asked: string[] = [];
  /** The origin of the key set, if it is another. */
  keysAt: string | undefined;
  readonly #hanging: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    this.asked.push(path);
    const issuer = path.replace("/.well-known/openid-configuration", "");
    if (this.#failing) response.writeHead(404).end();
    else if (path.startsWith("/hang") && !this.#released) this.#hanging.push(response);
    else if (path === "/jwks") response.end(JSON.stringify({ keys: [] }));
    else if (!path.startsWith("/good")) response.writeHead(404).end();
    else {
      const documents = { issuer: this.url + issuer, jwks_uri: `${this.keysAt ?? this.url}/jwks` };
      response.end(JSON.stringify(documents));
    }
  });
  #released = false;
  #failing = false;

  static async start(t: TestContext): Promise<ManyIssuers> {
    const many = new ManyIssuers();
    many.#server.listen(0, "127.0.0.1");
    await once(many.#server, "listening");
    t.after(() => {
      many.#server.closeAllConnections();
      many.#server.close();
    });
    return many;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on all requests fail. */
  fail(): void {
    this.#failing = true;
  }

  /** Fails all pending requests. From now on no request hangs. */
  release(): void {
    this.#released = true;
    for (const response of this.#hanging.splice(0)) response.writeHead(404).end();
  }
}

function issuersWith(queueTimeoutMs: number, maxCacheBytes = 8 * 1024 * 1024) {
  const settings = { trustedIssuers: [], deniedIssuers: [], privateIssuers: [], onLoopback: true };
  const policy = new IssuerPolicy(settings);
  const issuers = new Issuers(policy, { queueTimeoutMs, maxCacheBytes });
  /** Why an unsigned token is denied for an identity that trusts these issuers. */
  const ask = async (issuer: string, matcher: Matcher): Promise<string> => {
    const read = { token: "e30.e30.AA", kid: undefined, issuer, claims: {} };
    const rule = { kind: "token", issuer: matcher, claims: [] } as const;
    const checked = checkSignature(read, rule, { issuers, policy }, Checks.failFast());
    const denial = await checked.catch((error: unknown) => error);
    assert.ok(denial instanceof WharfError, String(denial));
    return `${denial.code}: ${denial.message}`;
  };
  return { issuers, ask };
}

test("concurrent fetches from new issuers are bounded per pattern", async (t) => {
  const many = await ManyIssuers.start(t);
  const { ask } = issuersWith(1);
  const any = pattern(`${many.url}/.*`);
  assert.match(await ask(`${many.url}/good-known`, any), /^UNAUTHENTICATED/);
  const failed = `${many.url}/bad`;
  assert.match(await ask(failed, any), /status 404/);

  const asking = Array.from({ length: CONCURRENCY }, (_, at) => ask(`${many.url}/hang-${at}`, any));
  const late = `${many.url}/good-late`;
  assert.match(await ask(late, any), /^UNAVAILABLE: .*too many new issuers/);
  assert.ok(!many.asked.some((path) => path.startsWith("/good-late")));
  assert.match(await ask(`${many.url}/good-known`, any), /^UNAUTHENTICATED/, "keys are known");
  assert.match(await ask(failed, any), /status 404/, "one that has just failed does not wait");
  const named = `${many.url}/good-named`;
  assert.match(await ask(named, exactly(named)), /^UNAUTHENTICATED/, "named as it is");
  const other = pattern(`${many.url}/good-.*`);
  assert.match(await ask(`${many.url}/good-other`, other), /^UNAUTHENTICATED/, "another pattern");

  many.release();
  await Promise.all(asking);
  assert.match(await ask(late, any), /^UNAUTHENTICATED/, "a timeout has no lasting effect");
});

test("queued fetches run once others finish", async (t) => {
  const many = await ManyIssuers.start(t);
  const { ask } = issuersWith(NEVER_MS);
  const any = pattern(`${many.url}/.*`);
  const count = CONCURRENCY + 3;
  const asking = Array.from({ length: count }, (_, at) => ask(`${many.url}/hang-${at}`, any));
  many.release();
  for (const denial of await Promise.all(asking)) assert.match(denial, /status 404|in time/);
  assert.equal(many.asked.length, count);
});

test("a private issuer cannot lead to another private address", async (t) => {
  const [many, other] = [await ManyIssuers.start(t), await ManyIssuers.start(t)];
  const settings = { trustedIssuers: [], deniedIssuers: [], onLoopback: false };
  const issuers = new Issuers(new IssuerPolicy({ ...settings, privateIssuers: [many.url] }));
  const keysOf = (issuer: string) =>
    issuers.keysOf(many.url + issuer, undefined, 0, { organization: "acme" });
  await keysOf("/good-own");
  many.keysAt = other.url;
  await assert.rejects(keysOf("/good-elsewhere"), FetchError);
  assert.deepEqual(other.asked, []);
});

/** A cache that holds about a hundred issuers. */
const SMALL_CACHE = 100 * 8_192;

const askedFor = (many: ManyIssuers, issuer: string) =>
  many.asked.filter((path) => path === `${issuer}/.well-known/openid-configuration`).length;

test("failing issuers do not evict the keys of others", async (t) => {
  const many = await ManyIssuers.start(t);
  const { issuers } = issuersWith(NEVER_MS, SMALL_CACHE);
  const good = `${many.url}/good`;
  const now = Date.now();
  const use = { organization: "acme" };
  await issuers.keysOf(good, undefined, now, use);
  const bad = Array.from({ length: 200 }, (_, at) =>
    assert.rejects(
      issuers.keysOf(`${many.url}/bad-${at}`, undefined, now, { ...use, pattern: "/.*/" }),
    ),
  );
  await Promise.all(bad);
  await issuers.keysOf(good, undefined, now, use);
  assert.equal(askedFor(many, "/good"), 1);
});

test("issuers of one organization do not evict the keys of another", async (t) => {
  const many = await ManyIssuers.start(t);
  const { issuers } = issuersWith(NEVER_MS, SMALL_CACHE);
  const now = Date.now();
  const own = `${many.url}/good-own`;
  const shared = `${many.url}/good-shared`;
  const [acme, mallory] = [{ organization: "acme" }, { organization: "mallory", pattern: "/.*/" }];
  for (const issuer of [own, shared]) await issuers.keysOf(issuer, undefined, now, acme);
  await issuers.keysOf(shared, undefined, now, mallory);
  for (let at = 0; at < 200; at++)
    await issuers.keysOf(`${many.url}/good-${at}`, undefined, now, mallory);
  // The keys are stale now: issuers that were evicted have none.
  const later = now + 3_600_000;
  many.fail();
  for (const issuer of [own, shared]) await issuers.keysOf(issuer, undefined, later, acme);
  await assert.rejects(issuers.keysOf(`${many.url}/good-0`, undefined, later, mallory));
  await assert.rejects(issuers.keysOf(own, undefined, now + 25 * 3_600_000, acme), /status 404/);
});
