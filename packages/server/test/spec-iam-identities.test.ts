import assert from "node:assert/strict";
import { before, test } from "node:test";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { uidsOf } from "./support/client/pagination.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const ISSUER = "https://issuer.example.com";
const CLAIMS = { issuer: ISSUER, subject: "me" };
const PUBLIC_KEY = { kty: "EC", crv: "P-256", x: "AAAA", y: "BBBB", kid: "one" };
const KEYS = { issuer: ISSUER, subject: "me", issuerKeys: JSON.stringify({ keys: [PUBLIC_KEY] }) };
const AWS = { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/x", userId: "AROA" };
const YEAR_MS = 365 * 24 * 3_600_000;

/** Invalid relationships, and the field of each that is rejected. */
const REFUSED: readonly [relationship: object, field: string][] = [
  [{}, "claimMatch"],
  [{ claimMatch: { subject: "me" } }, "claimMatch.issuer"],
  [{ claimMatch: { issuer: ISSUER } }, "claimMatch.subject"],
  [{ claimMatch: { ...CLAIMS, issuer: "issuer" } }, "claimMatch.issuer"],
  [{ claimMatch: { ...CLAIMS, issuer: "ftp://a.b" } }, "claimMatch.issuer"],
  [{ claimMatch: { ...CLAIMS, issuer: `${ISSUER}?a=b` } }, "claimMatch.issuer"],
  [{ claimMatch: { ...CLAIMS, issuer: "https://u:p@a.b" } }, "claimMatch.issuer"],
  [{ claimMatch: { ...CLAIMS, subject: " " } }, "claimMatch.subject"],
  [{ claimMatch: { ...CLAIMS, audience: "" } }, "claimMatch.audience"],
  [{ claimMatch: { issuer: ISSUER, subjectPattern: "(" } }, "claimMatch.subjectPattern"],
  [{ claimMatch: { issuer: ISSUER, subjectPattern: "(a)\\1" } }, "claimMatch.subjectPattern"],
  [{ claimMatch: { issuerPattern: "", subject: "me" } }, "claimMatch.issuerPattern"],
  [{ claimMatch: { ...CLAIMS, audiencePattern: "x".repeat(2_049) } }, "claimMatch.audiencePattern"],
  [{ claimMatch: { ...CLAIMS, claimPatterns: { team: "[" } } }, "claimMatch.claimPatterns.team"],
  [{ claimMatch: { ...CLAIMS, claims: { "": "x" } } }, "claimMatch.claims"],
  [{ staticKeys: { ...KEYS, issuer: "" } }, "staticKeys.issuer"],
  [{ staticKeys: { ...KEYS, subject: "" } }, "staticKeys.subject"],
  [{ staticKeys: { ...KEYS, issuerKeys: "" } }, "staticKeys.issuerKeys"],
  [{ staticKeys: { ...KEYS, issuerKeys: "{" } }, "staticKeys.issuerKeys"],
  [{ staticKeys: { ...KEYS, issuerKeys: "null" } }, "staticKeys.issuerKeys"],
  [{ staticKeys: { ...KEYS, issuerKeys: '{"keys":[]}' } }, "staticKeys.issuerKeys"],
  [{ staticKeys: { ...KEYS, issuerKeys: '{"keys":[1]}' } }, "staticKeys.issuerKeys"],
  [{ staticKeys: { ...KEYS, audiences: ["a", "b"] } }, "staticKeys.audiences"],
  [{ staticKeys: { ...KEYS, audiences: [""] } }, "staticKeys.audiences"],
  [{ awsIdentity: { ...AWS, awsAccount: "12" } }, "awsIdentity.awsAccount"],
  [{ awsIdentity: { ...AWS, arn: undefined } }, "awsIdentity.arn"],
  [{ awsIdentity: { ...AWS, userId: undefined } }, "awsIdentity.userId"],
  [{ servicePrincipal: "SERVICE_PRINCIPAL_UNSPECIFIED" }, "servicePrincipal"],
  [{ servicePrincipal: 99 }, "servicePrincipal"],
];

onEachStore("identities", (world) => {
  let home: string;
  before(async () => {
    home = await world.organization();
  });

  world.rule("an identity is created in a group, with every field", async (api) => {
    const given = { name: "ci", description: "builds", claimMatch: CLAIMS, company: "acme" };
    const sly = { email: "me@example.com", lastSeenTime: "2001-01-01T00:00:00.000Z" };
    const created = await api.identities.create(home, { ...given, ...sly });
    const { uid, createTime } = created;
    assert.deepEqual(created, {
      ...given,
      uid,
      email: "",
      emailUnverified: "",
      claimMatch: { ...CLAIMS, claims: {}, claimPatterns: {} },
      lastSeenTime: createTime,
      createTime,
      updateTime: createTime,
    });
    assert.ok(uid.startsWith(`${home}/`));
    assert.match(createTime, /\.\d{3}Z$/);
    assert.deepEqual(await api.identities.get(uid), created);
  });

  world.rule("every kind of relationship is stored as given", async (api) => {
    const relationships: Record<string, unknown>[] = [
      { claimMatch: { ...CLAIMS, claims: { team: "core" }, claimPatterns: { ref: "refs/.*" } } },
      { claimMatch: { issuerPattern: "https://.*", subjectPattern: "a|b", audience: "us" } },
      { claimMatch: { ...CLAIMS, audiencePattern: "x+" } },
      { awsIdentity: AWS },
      { awsIdentity: { awsAccount: "123456789012", arnPattern: "arn:.*", userIdPattern: "A.*" } },
      { servicePrincipal: "SERVICE_PRINCIPAL_INGESTER" },
    ];
    for (const relationship of relationships) {
      const created = await api.identities.create(home, { name: "x", ...relationship });
      const [[kind, given]] = Object.entries(relationship) as [[string, unknown]];
      const maps = kind === "claimMatch" ? { claims: {}, claimPatterns: {} } : {};
      const expected = typeof given === "object" ? { ...maps, ...given } : given;
      assert.deepEqual(created[kind], expected);
      assert.deepEqual(await api.identities.get(created.uid), created);
    }
  });

  for (const [relationship, field] of REFUSED) {
    world.rule(`${JSON.stringify(relationship).slice(0, 80)} is rejected`, async (api) => {
      const refusal = await rejected(api.identities.create(home, { name: "x", ...relationship }));
      assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, [field]]);
    });
  }

  test("two relationships at once are rejected", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    for (const relationship of [
      { claimMatch: CLAIMS, staticKeys: KEYS },
      { claimMatch: { ...CLAIMS, issuerPattern: ".*" } },
      { claimMatch: { ...CLAIMS, subject_pattern: ".*" } },
    ]) {
      const body = { name: "two", ...relationship };
      const answer = await rest.post(`/iam/v2beta1/identities/${home}`, body);
      assert.equal(answer.status, 400, JSON.stringify(relationship));
      assert.equal(answer.body.code, 3);
    }
  });

  world.rule("static keys expire after a year by default, at most", async (api) => {
    const create = (more: object) =>
      api.identities.create(home, { name: "x", staticKeys: { ...KEYS, ...more } });
    const made = await create({});
    const lives = Date.parse(made.staticKeys.expirationTime) - Date.parse(made.createTime);
    assert.equal(lives, YEAR_MS);
    const soon = new Date(Date.now() + 60_000).toISOString();
    const short = await create({ expirationTime: soon, audiences: ["registry"] });
    assert.deepEqual(short.staticKeys, { ...KEYS, expirationTime: soon, audiences: ["registry"] });
    const late = new Date(Date.now() + YEAR_MS + 60_000).toISOString();
    const tooLate = await rejected(create({ expirationTime: late }));
    assert.deepEqual(Object.keys(tooLate.fields), ["staticKeys.expirationTime"]);
    const past = await rejected(create({ expirationTime: new Date(Date.now() - 1).toISOString() }));
    assert.deepEqual(Object.keys(past.fields), ["staticKeys.expirationTime"]);
  });

  world.rule("private keys are rejected, and not echoed", async (api) => {
    for (const secret of [
      { d: "SECRET" },
      { kty: "oct", k: "SECRET" },
      { kty: "RSA", p: "SECRET" },
    ]) {
      const issuerKeys = JSON.stringify({ keys: [PUBLIC_KEY, { ...PUBLIC_KEY, ...secret }] });
      const refusal = await rejected(
        api.identities.create(home, { name: "x", staticKeys: { ...KEYS, issuerKeys } }),
      );
      assert.deepEqual(Object.keys(refusal.fields), ["staticKeys.issuerKeys"]);
      assert.ok(!refusal.message.includes("SECRET"));
    }
  });

  world.rule("an identity requires a name and an existing group", async (api) => {
    const refusal = await rejected(api.identities.create(home, { claimMatch: CLAIMS }));
    assert.deepEqual(Object.keys(refusal.fields), ["name"]);
    const given = { name: "x", claimMatch: CLAIMS };
    const missing = `${home}/0123456789abcdef`;
    const lost = await rejected(api.identities.create(missing, given));
    assert.deepEqual([lost.code, lost.missing], [5, `Group ${missing}`]);
    assert.deepEqual(Object.keys((await rejected(api.identities.create("", given))).fields), [
      "parent",
    ]);
  });

  world.rule("a nested path of a mask changes that field only", async (api) => {
    const fresh = async () =>
      (
        await api.identities.create(home, {
          name: "x",
          claimMatch: { ...CLAIMS, audience: "us", claims: { a: "1", b: "2" } },
        })
      ).uid;
    const whole = { ...CLAIMS, audience: "us", claims: { a: "1", b: "2" }, claimPatterns: {} };
    const cases: [paths: string[], claimMatch: object, after: object][] = [
      [
        ["claim_match.subject"],
        { subject: "you", issuer: "ignored" },
        { ...whole, subject: "you" },
      ],
      [["claimMatch.subject"], { subject: "you" }, { ...whole, subject: "you" }],
      [["claimMatch.audience"], {}, { ...whole, audience: undefined }],
      [["claimMatch.claims"], { claims: { c: "3" } }, { ...whole, claims: { c: "3" } }],
      [
        ["claimMatch.subjectPattern"],
        { subjectPattern: "y.*" },
        { ...whole, subject: undefined, subjectPattern: "y.*" },
      ],
      [["claim_match"], CLAIMS, { ...CLAIMS, claims: {}, claimPatterns: {} }],
    ];
    for (const [paths, claimMatch, after] of cases) {
      const uid = await fresh();
      const updated = await api.identities.update(uid, { name: "ignored", claimMatch }, paths);
      assert.equal(updated.name, "x");
      assert.deepEqual(updated.claimMatch, JSON.parse(JSON.stringify(after)), paths.join());
      assert.deepEqual(await api.identities.get(uid), updated);
    }
    const bad = await rejected(api.identities.update(await fresh(), {}, ["claimMatch.color"]));
    assert.deepEqual(Object.keys(bad.fields), ["updateMask"]);
  });

  world.rule("without a mask, the given fields of a relationship change", async (api) => {
    const { uid } = await api.identities.create(home, { name: "x", claimMatch: CLAIMS });
    const updated = await api.identities.update(uid, { claimMatch: { subject: "you" } });
    assert.deepEqual([updated.name, updated.claimMatch.issuer], ["x", ISSUER]);
    assert.equal(updated.claimMatch.subject, "you");
  });

  world.rule("a relationship may be replaced by one of another kind", async (api) => {
    const { uid } = await api.identities.create(home, { name: "x", claimMatch: CLAIMS });
    const updated = await api.identities.update(uid, { awsIdentity: AWS }, ["aws_identity"]);
    assert.deepEqual(updated.awsIdentity, AWS);
    assert.equal(updated.claimMatch, undefined);
    const { totalCount } = await api.identities.list({
      uidp: { ids: [uid] },
      relationshipType: "RELATIONSHIP_TYPE_AWS_IDENTITY",
    });
    assert.equal(totalCount, "1");
  });

  world.rule("an update cannot make a relationship invalid", async (api) => {
    const { uid } = await api.identities.create(home, { name: "x", claimMatch: CLAIMS });
    for (const [claimMatch, mask] of [
      [{}, ["claimMatch.issuer"]],
      [{ issuer: "nonsense" }, ["claimMatch.issuer"]],
      [{ subjectPattern: "(" }, ["claimMatch.subjectPattern"]],
    ] as const) {
      assert.equal((await rejected(api.identities.update(uid, { claimMatch }, mask))).code, 3);
    }
    assert.equal((await rejected(api.identities.update(uid, {}, ["claimMatch"]))).code, 3);
    assert.deepEqual((await api.identities.get(uid)).claimMatch.issuer, ISSUER);
  });

  world.rule("identities are listed by name and by kind of relationship", async (api) => {
    const org = await world.organization();
    const made: Record<string, string> = {};
    for (const [kind, relationship] of Object.entries({
      CLAIM_MATCH: { claimMatch: CLAIMS },
      STATIC: { staticKeys: KEYS },
      AWS_IDENTITY: { awsIdentity: AWS },
      SERVICE_PRINCIPAL: { servicePrincipal: "SERVICE_PRINCIPAL_SKILLS" },
    })) {
      const name = kind.toLowerCase();
      made[kind] = (await api.identities.create(org, { name, ...relationship })).uid;
    }
    const uidp = { childrenOf: org };
    for (const [at, kind] of Object.keys(made).entries()) {
      for (const relationshipType of [`RELATIONSHIP_TYPE_${kind}`, at + 1]) {
        const list = await api.identities.list({ uidp, relationshipType });
        assert.deepEqual([uidsOf(list.identities), list.totalCount], [[made[kind]], "1"]);
      }
    }
    const all = await api.identities.list({ uidp, relationshipType: 0 });
    assert.equal(all.totalCount, "4");
    const named = await api.identities.list({ uidp, name: "static" });
    assert.deepEqual(uidsOf(named.identities), [made.STATIC]);
  });

  world.rule("deleting an identity deletes its bindings", async (api) => {
    const org = await world.organization();
    const { uid } = await world.member({ [org]: "viewer" });
    assert.equal((await api.roleBindings.list({ identity: uid })).totalCount, "1");
    assert.deepEqual(await api.identities.delete(uid), {});
    assert.equal((await rejected(api.identities.get(uid))).code, 5);
    assert.equal((await rejected(api.identities.delete(uid))).code, 5);
    assert.equal((await api.roleBindings.list({ identity: uid })).totalCount, "0");
    const gone = { identityUid: uid, roleUid: roleNamed("viewer") };
    assert.equal((await rejected(api.roleBindings.create(org, gone))).code, 5);
    await api.groups.delete(org);
  });

  world.rule(
    "every authenticated caller can look up the uid of a user before sign-in",
    async (api) => {
      const nobody = await world.member();
      const lookup = (issuer: string, subject: string) =>
        api.as(nobody.token).identities.lookupIdentity({ issuer, subject });
      const { uid } = await lookup(ISSUER, "person");
      assert.match(uid, /^[0-9a-f]{40}$/);
      assert.deepEqual(await lookup(ISSUER, "person"), { uid });
      assert.equal(
        uid,
        (
          await world
            .operator("REST")
            .identities.lookupIdentity({ issuer: ISSUER, subject: "person" })
        ).uid,
      );
      const others = [await lookup(ISSUER, "other"), await lookup(`${ISSUER}p`, "erson")];
      assert.equal(new Set([uid, ...others.map((other) => other.uid)]).size, 3);
      assert.deepEqual(Object.keys((await rejected(lookup("", ""))).fields), ["issuer", "subject"]);
      assert.equal(
        (await rejected(api.as("").identities.lookupIdentity({ issuer: ISSUER }))).code,
        16,
      );
    },
  );
});
