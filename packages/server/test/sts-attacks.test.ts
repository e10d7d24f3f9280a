import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { base64url, type JWTPayload } from "jose";
import { OTHER_METHOD } from "../src/engine/audit/aggregator.ts";
import { Http } from "./support/client/http.ts";
import { exchange, JWT_START } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { TestServer } from "./support/server/test-server.ts";

const SUBJECT = "repo:acme/app:ref:refs/heads/main";

describe("token exchange rejects", () => {
  let server: TestServer;
  let issuer: StandInIssuer;
  let other: StandInIssuer;
  let operator: Http;
  let org: string;
  let ci: string;
  const identity = async (relationship: object): Promise<string> => {
    const { status, body } = await operator.post(`/iam/v2beta1/identities/${org}`, {
      name: "x",
      ...relationship,
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.uid;
  };
  before(async () => {
    issuer = await StandInIssuer.start();
    other = await StandInIssuer.start();
    const denied = "https://denied.example";
    server = await TestServer.start({ flags: ["--denied-issuers", denied] });
    operator = new Http(server.url, await server.token());
    org = (await operator.post("/iam/v2beta1/groups", { name: "acme" })).body.uid;
    ci = await identity({
      claimMatch: { issuer: issuer.url, subject: SUBJECT, claims: { env: "prod" } },
    });
  });
  after(async () => {
    await issuer.stop();
    await other.stop();
    await server.stop();
  });

  const good = { sub: SUBJECT, env: "prod" };
  const refusedAs = async (token: string, code: number, why: RegExp, uid = ci) => {
    const {
      status,
      code: got,
      message,
    } = await exchange(server.url, token, { aud: server.url, identity: uid });
    assert.notEqual(status, 200);
    assert.deepEqual([got, why.test(message)], [code, true], `${got} ${message}`);
  };
  const unsigned = (header: object, claims: JWTPayload, signature = "") => {
    const part = (value: object) => base64url.encode(JSON.stringify(value));
    return `${part(header)}.${part(claims)}.${signature}`;
  };
  const complete = (): JWTPayload => {
    const now = Math.floor(Date.now() / 1000);
    return { iss: issuer.url, aud: "127.0.0.1", iat: now, exp: now + 300, ...good };
  };

  test("nothing in a valid request", async () => {
    const made = await exchange(server.url, await issuer.sign(good), {
      aud: server.url,
      identity: ci,
    });
    assert.equal(made.status, 200, made.message);
  });

  test("alg none", () =>
    refusedAs(unsigned({ alg: "none" }, complete()), 16, /malformed|invalid "alg"/));

  test("an HMAC with the public key as secret", async () => {
    const head = unsigned({ alg: "HS256", kid: "key-1" }, complete()).slice(0, -1);
    const secret = JSON.stringify(issuer.jwks.keys[0]);
    const signature = createHmac("sha256", secret).update(head).digest("base64url");
    await refusedAs(`${head}.${signature}`, 16, /invalid "alg"/);
  });

  test("a signing key that the issuer does not publish", async () => {
    const token = await other.sign({ ...good, iss: issuer.url }, { kid: "key-1" });
    await refusedAs(token, 16, /signature is invalid/);
    await refusedAs(await issuer.sign(good, { kid: "nobody's" }), 16, /invalid "kid"/);
  });

  test("a token of another type", async () =>
    refusedAs(await issuer.sign(good, { typ: "secevent+jwt" }), 16, /invalid "typ"/));

  test("unknown critical header parameters", async () => {
    const token = unsigned({ alg: "RS256", kid: "key-1", crit: ["x"], x: 1 }, complete(), "AAAA");
    await refusedAs(token, 16, /malformed/);
  });

  test("a critical header parameter that the library knows, correctly signed", async () =>
    refusedAs(await issuer.sign(good, { crit: ["b64"], b64: true }), 16, /malformed/));

  test("an expired token", async () =>
    refusedAs(await issuer.sign({ ...good, exp: 1_000_000 }), 16, /has expired/));

  test("a token that never expires", async () => {
    const { exp: _, ...endless } = complete();
    const signed = await issuer.sign({ ...endless, exp: undefined as never });
    await refusedAs(signed, 16, /invalid "exp"/);
  });

  test("a token that is not valid yet", async () => {
    const nbf = Math.floor(Date.now() / 1000) + 600;
    await refusedAs(await issuer.sign({ ...good, nbf }), 16, /invalid "nbf"/);
  });

  for (const [what, aud] of [
    ["another audience", "https://elsewhere.example"],
    ["several audiences", ["127.0.0.1", "https://elsewhere.example"]],
    ["no audience", []],
    ["an audience that begins like ours", "127.0.0.1.evil.example"],
  ] as const) {
    test(what, async () =>
      refusedAs(
        await issuer.sign({ ...good, aud: aud as unknown as string[] }),
        7,
        /invalid "aud"/,
      ),
    );
  }

  for (const [what, sub] of [
    ["another subject", "repo:evil/app:ref:refs/heads/main"],
    ["a subject with more after it", `${SUBJECT}-not`],
    ["a subject in other letters", SUBJECT.toUpperCase()],
    ["an empty subject", ""],
    ["a subject that is a list", [SUBJECT]],
  ] as const) {
    test(what, async () =>
      refusedAs(await issuer.sign({ ...good, sub: sub as string }), 7, /invalid "sub"|malformed/),
    );
  }

  test("a subject that is not a string", async () => {
    for (const sub of [7, { sub: SUBJECT }, [SUBJECT], null, true]) {
      const token = unsigned({ alg: "ES256" }, { ...complete(), sub } as unknown as JWTPayload);
      for (const identity of [ci, ""]) {
        const { code } = await exchange(server.url, token, { aud: server.url, identity });
        assert.ok(code === 7 || code === 16, `${JSON.stringify(sub)} ${code}`);
      }
    }
  });

  test("a missing and a wrong custom claim", async () => {
    await refusedAs(await issuer.sign({ sub: SUBJECT }), 7, /invalid "env"/);
    await refusedAs(await issuer.sign({ ...good, env: "test" }), 7, /invalid "env"/);
    await refusedAs(await issuer.sign({ ...good, env: ["prod"] }), 7, /invalid "env"/);
  });

  test("a token of one identity for another", async () => {
    const mine = await identity({ claimMatch: { issuer: issuer.url, subject: "mine" } });
    await refusedAs(await issuer.sign(good), 7, /invalid "sub"/, mine);
    await refusedAs(await other.sign({ sub: "mine" }), 7, /invalid "iss"/, mine);
  });

  test("an unknown identity, with the same error as a mismatch", async () => {
    await refusedAs(await issuer.sign(good), 7, /invalid "identity"/, `${org}/0123456789abcdef`);
  });

  test("alternatives that escape the anchors of a pattern", async () => {
    const pattern = await identity({ claimMatch: { issuer: issuer.url, subjectPattern: "a|b" } });
    for (const sub of ["ab", "a-evil", "evil-b", "a\n", "\nb"]) {
      await refusedAs(await issuer.sign({ sub }), 7, /invalid "sub"/, pattern);
    }
    const made = await exchange(server.url, await issuer.sign({ sub: "b" }), {
      aud: server.url,
      identity: pattern,
    });
    assert.equal(made.status, 200);
  });

  test("patterns that provoke backtracking", async () => {
    const slow = await identity({ claimMatch: { issuer: issuer.url, subjectPattern: "(a+)+$" } });
    await refusedAs(await issuer.sign({ sub: `${"a".repeat(5_000)}!` }), 7, /invalid "sub"/, slow);
    await refusedAs(await issuer.sign({ sub: "a".repeat(4_097) }), 7, /invalid "sub"/, slow);
    const trusting = { issuer: issuer.url, subject: "x" };
    const many = Array.from({ length: 100 }, (_, at) => [`claim${at}`, "[ab]{200}"]);
    for (const [claimMatch, field] of [
      [{ issuer: issuer.url, subjectPattern: "(a?){1000}" }, "claimMatch.subjectPattern"],
      [{ issuer: issuer.url, subjectPattern: "a{1000}".repeat(290) }, "claimMatch.subjectPattern"],
      [{ ...trusting, claimPatterns: { x: "(a?){1000}" } }, "claimMatch.claimPatterns.x"],
      [{ ...trusting, claimPatterns: Object.fromEntries(many) }, "claimMatch.claimPatterns"],
    ] as const) {
      const path = `/iam/v2beta1/identities/${org}`;
      const { status, body } = await operator.post(path, { name: "slow", claimMatch });
      assert.equal(status, 400);
      assert.deepEqual(
        body.details[1].fieldViolations.map((one: { field: string }) => one.field),
        [field],
      );
    }
  });

  test("static keys with another key, another subject, or expired", async () => {
    const staticKeys = {
      issuer: "https://offline.example",
      subject: "robot",
      issuerKeys: JSON.stringify(other.jwks),
    };
    const robot = await identity({ staticKeys });
    const claims = { iss: "https://offline.example", sub: "robot" };
    await refusedAs(await issuer.sign(claims), 16, /signature is invalid/, robot);
    await refusedAs(await other.sign({ ...claims, sub: "robot2" }), 7, /invalid "sub"/, robot);
  });

  for (const [what, misbehave, why] of [
    [
      "discovery that names another issuer",
      (bad: StandInIssuer) => {
        bad.claimedIssuer = "https://other.example";
      },
      /names another issuer/,
    ],
    [
      "discovery that redirects",
      (bad: StandInIssuer) =>
        bad.instead.set("/.well-known/openid-configuration", (_q, r) =>
          r.writeHead(302, { location: issuer.url }).end(),
        ),
      /status 302/,
    ],
    [
      "keys that redirect",
      (bad: StandInIssuer) =>
        bad.instead.set("/jwks", (_q, r) =>
          r.writeHead(307, { location: `${issuer.url}/jwks` }).end(),
        ),
      /status 307/,
    ],
    [
      "keys without end",
      (bad: StandInIssuer) =>
        bad.instead.set("/jwks", (_q, r) => {
          const more = () => {
            while (r.write("x".repeat(65_536)));
            r.once("drain", more);
          };
          more();
        }),
      /too large/,
    ],
    [
      "keys that do not come",
      (bad: StandInIssuer) => bad.instead.set("/jwks", () => {}),
      /in time/,
    ],
    [
      "keys that are no JSON",
      (bad: StandInIssuer) => bad.instead.set("/jwks", (_q, r) => r.end("<html>")),
      /not JSON/,
    ],
    [
      "keys that are none",
      (bad: StandInIssuer) => bad.instead.set("/jwks", (_q, r) => r.end("{}")),
      /no keys/,
    ],
  ] as const) {
    test(what, async () => {
      const bad = await StandInIssuer.start();
      try {
        misbehave(bad);
        const uid = await identity({ claimMatch: { issuer: bad.url, subject: SUBJECT } });
        await refusedAs(await bad.sign(good), 14, why, uid);
      } finally {
        await bad.stop();
      }
    });
  }

  for (const iss of [
    "http://10.0.0.1",
    "https://10.0.0.1",
    "https://169.254.169.254",
    "https://[::ffff:10.0.0.1]",
    "https://[fd00::1]",
    "http://issuer.example",
  ]) {
    test(`keys from ${iss}`, async () => {
      const uid = await identity({ claimMatch: { issuer: iss, subject: SUBJECT } });
      await refusedAs(await issuer.sign({ ...good, iss }), 14, /not public|only https/, uid);
    });
  }

  test("an issuer on the deny list", async () => {
    const uid = await identity({ claimMatch: { issuerPattern: "https://.*", subject: SUBJECT } });
    await refusedAs(
      await issuer.sign({ ...good, iss: "https://denied.example" }),
      7,
      /invalid "iss"/,
      uid,
    );
  });

  test("malformed tokens", async () => {
    for (const token of [
      "x",
      "a.b.c",
      "..",
      "e30.e30.e30",
      "x".repeat(12_000),
      `${await issuer.sign(good)}x`,
    ]) {
      const { status, code } = await exchange(server.url, token, { aud: server.url, identity: ci });
      assert.ok(status === 401 || status === 403, `${status} ${code} ${token.slice(0, 20)}`);
    }
    const none = await fetch(`${server.url}/sts/exchange?aud=${server.url}&identity=${ci}`);
    assert.equal(none.status, 401);
  });

  test("a down-scoped token of ours for another identity", async () => {
    const again = await identity({ claimMatch: { issuer: server.url, subjectPattern: ".*" } });
    const narrow = await exchange(server.url, await issuer.sign(good), {
      aud: server.url,
      identity: ci,
      cap: "groups.list",
    });
    await refusedAs(narrow.token, 7, /invalid "cap"/, again);
  });

  test("and audits the digest of the token, not the token", async () => {
    // Refusals of one kind are counted, and their number is written at the end at the latest.
    await server.terminate();
    const { DatabaseSync } = await import("node:sqlite");
    const store = new DatabaseSync(`${server.data}/wharf.db`, { readOnly: true });
    const rows = store
      .prepare("SELECT code, detail FROM audit WHERE method LIKE '%/Exchange'")
      .all();
    const others = store.prepare("SELECT detail FROM audit WHERE method = ?").all(OTHER_METHOD);
    store.close();
    let requests = 0;
    for (const { detail } of [...rows, ...others]) {
      requests += JSON.parse(String(detail)).count ?? 1;
    }
    assert.ok(requests > 40, String(requests));
    assert.ok(rows.some((row) => row.code === 0) && rows.some((row) => row.code === 7));
    for (const { detail } of rows) {
      assert.match(JSON.parse(String(detail)).tokenSha256, /^[0-9a-f]{64}$/);
      assert.doesNotMatch(String(detail), JWT_START);
      // Callers without any capability can send many large tokens.
      assert.ok(String(detail).length < 2_500, String(detail).slice(0, 100));
    }
    assert.doesNotMatch(server.log, JWT_START);
  });
});
