import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { rejected } from "./support/client/api-error.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const SUBJECT = "repo:acme/app:ref:refs/heads/main";
const DENIED = "https://denied.example";

interface Check {
  readonly claim: string;
  readonly expected: string;
  readonly found: string;
  readonly ok: boolean;
}

onEachStore(
  "testing what a token would come to",
  (world) => {
    let issuer: StandInIssuer;
    let org: string;
    let folder: string;
    let ci: string;
    before(async () => {
      issuer = await StandInIssuer.start();
      org = await world.organization();
      folder = await world.group(org, "builds");
      ci = await identity({
        claimMatch: {
          issuer: issuer.url,
          subjectPattern: "repo:acme/app:.+main",
          claims: { env: "prod" },
        },
      });
      await world.bind(org, ci, ["groups.list"]);
      await world.bind(folder, ci, ["identity.list"]);
    });
    after(() => issuer.stop());

    const identity = async (relationship: object): Promise<string> => {
      const { uid } = await world
        .operator()
        .identities.create(org, { name: world.name(), ...relationship });
      return uid;
    };
    const good = (claims = {}) => issuer.sign({ sub: SUBJECT, env: "prod", ...claims });
    const failed = (checks: readonly Check[]) =>
      checks.filter(({ ok }) => !ok).map(({ claim }) => claim);
    const found = (checks: readonly Check[], claim: string) =>
      checks.findLast((check) => check.claim === claim)?.found;

    world.rule("reports every check of a valid token, and its grants", async (api) => {
      const { allowed, checks, grants, warnings } = await api.identities.testIdentity({
        uid: ci,
        token: await good(),
      });
      assert.equal(allowed, true, JSON.stringify(checks));
      assert.deepEqual(
        checks.map(({ claim }: Check) => claim),
        ["typ", "iss", "iss", "signature", "exp", "nbf", "iat", "aud", "env", "sub"],
      );
      assert.deepEqual(failed(checks), []);
      const sub = checks.find(({ claim }: Check) => claim === "sub");
      assert.deepEqual(sub, {
        claim: "sub",
        expected: "/repo:acme/app:.+main/",
        found: SUBJECT,
        ok: true,
      });
      assert.deepEqual(grants, [
        { group: org, capabilities: ["CAP_IAM_GROUPS_LIST"] },
        { group: folder, capabilities: ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST"] },
      ]);
      assert.deepEqual(warnings, []);
    });

    world.rule("down-scopes as the exchange does", async (api) => {
      const token = await good();
      const scoped = await api.identities.testIdentity({ uid: ci, token, scopes: [folder] });
      assert.deepEqual(
        scoped.grants.map(({ group }: { group: string }) => group),
        [folder],
      );
      const capped = await api.identities.testIdentity({ uid: ci, token, cap: ["identity.list"] });
      assert.deepEqual(capped.grants, [{ group: folder, capabilities: ["CAP_IAM_IDENTITY_LIST"] }]);
      const { code, fields } = await rejected(
        api.identities.testIdentity({ uid: ci, token, cap: ["groups.fly"] }),
      );
      assert.deepEqual([code, Object.keys(fields)], [3, ["cap"]]);
    });

    world.rule("reports every failed check", async (api) => {
      const now = Math.floor(Date.now() / 1000);
      const token = await good({
        sub: "repo:evil/app:ref:refs/heads/main",
        aud: ["127.0.0.1", "https://elsewhere.example"],
        env: "test",
        exp: now - 600,
        nbf: now + 600,
      });
      const { allowed, checks, grants } = await api.identities.testIdentity({ uid: ci, token });
      assert.equal(allowed, false);
      assert.deepEqual(failed(checks), ["exp", "nbf", "aud", "env", "sub"]);
      assert.equal(found(checks, "exp"), new Date((now - 600) * 1000).toISOString());
      assert.equal(found(checks, "signature"), "valid");
      assert.deepEqual(grants, [], "grants are returned only if every check passes");
    });

    const wrong: readonly (readonly [
      what: string,
      token: () => Promise<string>,
      claim: string,
      found: RegExp,
    ])[] = [
      [
        "an unknown key",
        () => issuer.sign({ sub: SUBJECT }, { kid: "nobody's" }),
        "signature",
        /no key "nobody's"/,
      ],
      [
        "a wrong signature",
        async () => `${(await good()).slice(0, -8)}AAAAAAAA`,
        "signature",
        /^invalid$/,
      ],
      [
        "another type",
        () => issuer.sign({ sub: SUBJECT }, { typ: "secevent+jwt" }),
        "typ",
        /secevent/,
      ],
      ["another issuer", () => good({ iss: "https://elsewhere.example" }), "iss", /elsewhere/],
      ["no JWT at all", async () => "a.b.c", "token", /another text/],
      ["a request for AWS", async () => "UE9TVA", "identity", /signed AWS request/],
      ["no end", () => good({ exp: undefined }), "exp", /none/],
    ];
    for (const [what, token, claim, why] of wrong) {
      world.rule(`names the check that fails for ${what}`, async (api) => {
        const text = await token();
        const { allowed, checks } = await api.identities.testIdentity({ uid: ci, token: text });
        assert.equal(allowed, false);
        const failure = checks.find((check: Check) => check.claim === claim && !check.ok);
        assert.match(failure?.found ?? "passed", why, JSON.stringify(checks));
        const { status } = await exchange(api.url, text, { aud: api.url, identity: ci });
        assert.ok([401, 403].includes(status), "and the exchange refuses it, too");
      });
    }

    world.rule("does not fetch keys of an untrusted issuer", async (api) => {
      const stranger = await StandInIssuer.start();
      const token = await stranger.sign({ sub: SUBJECT, env: "prod" });
      const { checks } = await api.identities.testIdentity({ uid: ci, token });
      await stranger.stop();
      assert.deepEqual(failed(checks), ["iss", "signature", "sub"]);
      assert.equal(found(checks, "signature"), "not verified");
      assert.match(checks.at(-1).expected, /not evaluated without a valid signature/);
      assert.deepEqual(stranger.asked, []);
    });

    world.rule("distinguishes the issuer policy from the identity", async (api) => {
      const uid = await identity({ claimMatch: { issuer: DENIED, subject: SUBJECT } });
      const { checks } = await api.identities.testIdentity({
        uid,
        token: await good({ iss: DENIED }),
      });
      const issuers = checks.filter(({ claim }: Check) => claim === "iss");
      assert.deepEqual(
        issuers.map(({ ok }: Check) => ok),
        [true, false],
      );
      assert.match(issuers[1].expected, /this installation allows/);
    });

    world.rule("reports unavailable keys", async (api) => {
      const down = await StandInIssuer.start();
      const token = await down.sign({ sub: SUBJECT });
      await down.stop();
      const uid = await identity({ claimMatch: { issuer: down.url, subject: SUBJECT } });
      const { allowed, checks } = await api.identities.testIdentity({ uid, token });
      assert.equal(allowed, false);
      assert.deepEqual(failed(checks), ["signature"]);
      assert.match(found(checks, "signature") ?? "", /unreachable: it cannot be reached/);
    });

    world.rule("reports when static keys expire", async (api) => {
      const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
      const uid = await identity({
        staticKeys: {
          issuer: "https://offline.example",
          subject: "robot",
          issuerKeys: JSON.stringify(issuer.jwks),
          expirationTime,
        },
      });
      const token = await issuer.sign({ iss: "https://offline.example", sub: "robot" });
      const { allowed, checks } = await api.identities.testIdentity({ uid, token });
      assert.equal(allowed, true, JSON.stringify(checks));
      assert.equal(found(checks, "expirationTime"), expirationTime);
    });

    world.rule("uses the current identity in each call", async (api) => {
      const uid = await identity({ claimMatch: { issuer: issuer.url, subject: "before" } });
      const token = await issuer.sign({ sub: "after" });
      assert.equal((await api.identities.testIdentity({ uid, token })).allowed, false);
      await api.identities.update(uid, { claimMatch: { issuer: issuer.url, subject: "after" } });
      assert.equal((await api.identities.testIdentity({ uid, token })).allowed, true);
      assert.equal((await exchange(api.url, token, { aud: api.url, identity: uid })).status, 200);
      await api.identities.delete(uid);
      assert.equal((await rejected(api.identities.testIdentity({ uid, token }))).code, 5);
      assert.equal((await exchange(api.url, token, { aud: api.url, identity: uid })).code, 7);
    });

    world.rule("requires identity.list at the identity, whether or not it exists", async (api) => {
      const elsewhere = await world.organization();
      const { token: stranger } = await world.member({ [elsewhere]: "owner" });
      const { token: lister } = await world.member({ [org]: ["identity.list"] });
      const token = await good();
      assert.equal(
        (await api.as(lister).identities.testIdentity({ uid: ci, token })).allowed,
        true,
      );
      const missing = `${org}/0123456789abcdef`;
      for (const uid of [ci, missing]) {
        assert.equal(
          (await rejected(api.as(stranger).identities.testIdentity({ uid, token }))).code,
          7,
        );
        assert.equal((await rejected(api.as("").identities.testIdentity({ uid, token }))).code, 16);
      }
      assert.equal(
        (await rejected(api.as(lister).identities.testIdentity({ uid: missing, token }))).code,
        5,
      );
      assert.equal(
        (await rejected(api.identities.testIdentity({ uid: OPERATOR_UID, token }))).code,
        5,
      );
      const { fields } = await rejected(api.identities.testIdentity({ uid: ci }));
      assert.deepEqual(Object.keys(fields), ["token"]);
    });

    world.rule(
      "changes nothing but the audit log, which has the digest of the token",
      async (api) => {
        const path = await api.identities.get(ci);
        const token = await good({ jti: world.name() });
        await api.identities.testIdentity({ uid: ci, token });
        assert.deepEqual(await api.identities.get(ci), path, "not even when it was last seen");
        const signed = token.slice(0, token.lastIndexOf("."));
        const digest = createHash("sha256").update(signed).digest("hex");
        const sql = "SELECT detail FROM audit";
        const rows = (await rawRows<{ detail: string }>(world.server, sql)).map(
          (row) => row.detail,
        );
        const mine = rows.filter((detail) => detail.includes(digest));
        assert.equal(mine.length, 1);
        assert.equal(JSON.parse(mine[0] ?? "").allowed, true);
        assert.ok(rows.every((detail) => !detail.includes(token.slice(0, 40))));
        assert.ok(!world.server.log.includes(token.slice(0, 40)));
      },
    );

    const patterns: readonly (readonly [
      what: string,
      match: () => object,
      sub: string,
      warning: RegExp | undefined,
    ])[] = [
      [
        "a subject that may be anything",
        () => ({ subjectPattern: ".*" }),
        "x",
        /sub: .* matches every value/,
      ],
      [
        "a claim that may be anything",
        () => ({ subject: "x", claimPatterns: { env: ".+" } }),
        "x",
        /env: .* every value/,
      ],
      [
        "names without numbers",
        () => ({ subjectPattern: "repo:acme/app:.*" }),
        "repo:acme@7/app@42:ref:main",
        /names only/,
      ],
      [
        "numbers that may be any",
        () => ({ subjectPattern: "repo:acme@\\d+/app@\\d+:.*" }),
        "repo:acme@7/app@42:ref:main",
        /later owner of these names/,
      ],
      [
        "numbers",
        () => ({ subjectPattern: "repo:acme@7/app@42:.*" }),
        "repo:acme@7/app@42:ref:main",
        undefined,
      ],
      [
        "a dot that is any character",
        () => ({ subject: "x", issuerPattern: issuer.url }),
        "x",
        /write \\\./,
      ],
      [
        "an open end",
        () => ({ subject: "x", issuerPattern: `${issuer.url}.*` }),
        "x",
        /merely start with/,
      ],
      [
        "any issuer",
        () => ({ subject: "x", issuerPattern: "https?://.*" }),
        "x",
        /iss: .* every value/,
      ],
    ];
    for (const [what, match, sub, warning] of patterns) {
      test(`warns of ${what}${warning === undefined ? " not at all" : ""}`, async () => {
        const { issuerPattern, ...others } = match() as { issuerPattern?: string };
        const iss = issuerPattern === undefined ? { issuer: issuer.url } : { issuerPattern };
        const uid = await identity({ claimMatch: { ...iss, ...others } });
        const token = await issuer.sign({ sub, env: "prod" });
        const { warnings } = await world.operator().identities.testIdentity({ uid, token });
        assert.equal(warnings.length, warning === undefined ? 0 : 1, warnings.join());
        if (warning !== undefined) assert.match(warnings[0], warning);
      });
    }

    world.rule("a token of ours must match, and not be down-scoped", async (api) => {
      const uid = await identity({
        claimMatch: { issuer: api.url, subject: ci, audience: api.url },
      });
      const ask = async (parameters: object) =>
        (await exchange(api.url, await good(), { aud: api.url, identity: ci, ...parameters }))
          .token;
      const whole = await api.identities.testIdentity({ uid, token: await ask({}) });
      assert.equal(whole.allowed, true, JSON.stringify(whole.checks));
      const narrow = await api.identities.testIdentity({
        uid,
        token: await ask({ cap: "groups.list" }),
      });
      assert.deepEqual(failed(narrow.checks), ["cap"]);
      const broken = await api.identities.testIdentity({
        uid,
        token: `${(await ask({})).slice(0, -8)}AAAAAAAA`,
      });
      assert.deepEqual(failed(broken.checks), ["signature"]);
    });
  },
  { flags: ["--denied-issuers", DENIED] },
);
