import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { WharfError } from "../errors.ts";
import { Checks } from "./checks.ts";
import { IssuerPolicy } from "./issuer-policy.ts";
import { Issuers } from "./issuers.ts";
import { exactly, type Matcher, pattern } from "./matcher.ts";
import { checkSigned } from "./upstream.ts";

const AT_ONCE = 16;
const NEVER_MS = 600_000;

/** Issuers by path on one server: those called hang hang, those called good answer, others fail. */
class ManyIssuers {
  readonly asked: string[] = [];
  readonly #hanging: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    this.asked.push(path);
    const issuer = path.replace("/.well-known/openid-configuration", "");
    if (path.startsWith("/hang") && !this.#released) this.#hanging.push(response);
    else if (path === "/jwks") response.end(JSON.stringify({ keys: [] }));
    else if (!path.startsWith("/good")) response.writeHead(404).end();
    else {
      const documents = { issuer: this.url + issuer, jwks_uri: `${this.url}/jwks` };
      response.end(JSON.stringify(documents));
    }
  });
  #released = false;

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

  /** From now on nothing hangs any more. */
  release(): void {
    this.#released = true;
    for (const response of this.#hanging.splice(0)) response.writeHead(404).end();
  }
}

function issuersWith(patienceMs: number) {
  const settings = { trustedIssuers: [], deniedIssuers: [], privateIssuers: [], onLoopback: true };
  const policy = new IssuerPolicy(settings);
  const issuers = new Issuers(policy, patienceMs);
  /** Why a token that nobody signed is refused for an identity that trusts these issuers. */
  const ask = async (issuer: string, matcher: Matcher): Promise<string> => {
    const read = { token: "e30.e30.AA", kid: undefined, issuer, claims: {} };
    const rule = { kind: "token", issuer: matcher, claims: [] } as const;
    const checked = checkSigned(read, rule, { issuers, policy }, Date.now(), Checks.untilFailure());
    const refusal = await checked.catch((error: unknown) => error);
    assert.ok(refusal instanceof WharfError, String(refusal));
    return `${refusal.code}: ${refusal.message}`;
  };
  return { issuers, ask };
}

test("one pattern has so many new issuers asked at once, and keeps nobody else waiting", async (t) => {
  const many = await ManyIssuers.start(t);
  const { ask } = issuersWith(1);
  const any = pattern(`${many.url}/.*`);
  assert.match(await ask(`${many.url}/good-known`, any), /^UNAUTHENTICATED/);

  const asking = Array.from({ length: AT_ONCE }, (_, at) => ask(`${many.url}/hang-${at}`, any));
  const late = `${many.url}/good-late`;
  const told =
    "the keys of the token's issuer: too many issuers like it are being asked: try again";
  assert.ok((await ask(late, any)).endsWith(told));
  assert.ok(!many.asked.some((path) => path.startsWith("/good-late")));
  assert.match(await ask(`${many.url}/good-known`, any), /^UNAUTHENTICATED/, "keys are known");
  const named = `${many.url}/good-named`;
  assert.match(await ask(named, exactly(named)), /^UNAUTHENTICATED/, "named as it is");
  const other = pattern(`${many.url}/good-.*`);
  assert.match(await ask(`${many.url}/good-other`, other), /^UNAUTHENTICATED/, "another pattern");

  many.release();
  await Promise.all(asking);
  assert.match(await ask(late, any), /^UNAUTHENTICATED/, "nothing is held against it");
});

test("those that wait have their turn", async (t) => {
  const many = await ManyIssuers.start(t);
  const { ask } = issuersWith(NEVER_MS);
  const any = pattern(`${many.url}/.*`);
  const asking = Array.from({ length: AT_ONCE + 3 }, (_, at) => ask(`${many.url}/hang-${at}`, any));
  many.release();
  for (const refusal of await Promise.all(asking)) assert.match(refusal, /status 404|in time/);
  assert.equal(many.asked.length, AT_ONCE + 3);
});

test("issuers that do not answer make nobody forget those that do", async (t) => {
  const many = await ManyIssuers.start(t);
  const { issuers } = issuersWith(NEVER_MS);
  const good = `${many.url}/good`;
  const now = Date.now();
  await issuers.keysOf(good, undefined, now);
  const bad = Array.from({ length: 1_100 }, (_, at) =>
    assert.rejects(issuers.keysOf(`${many.url}/bad-${at}`, undefined, now, "/.*/")),
  );
  await Promise.all(bad);
  await issuers.keysOf(good, undefined, now);
  assert.equal(many.asked.filter((path) => path.startsWith("/good")).length, 1);
});
