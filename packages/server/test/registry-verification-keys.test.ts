/** Verification keys: which texts are keys and trust roots, and who may write them. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { before, test } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { sha256 } from "./support/registry/oci-client.ts";
import { TestAuthority } from "./support/signatures/authority.ts";
import { derOf, keyPair, TestLog } from "./support/signatures/signing.ts";
import { onEachStore } from "./support/world/world.ts";

const IDENTITY = { issuer: "https://accounts.example.com", subject: "*@example.com" };

onEachStore("verification keys", (world) => {
  let authority: TestAuthority;
  let org: string;
  const log = new TestLog();
  before(async () => {
    authority = await TestAuthority.create();
    org = await world.organization();
  });
  const keyless = (fields: object = {}) => ({
    keyless: {
      ...IDENTITY,
      certificateAuthority: authority.pem,
      transparencyLogs: log.key.pem,
      ...fields,
    },
  });

  world.rule("a key has a fingerprint, and an identity has none", async (api) => {
    const key = keyPair();
    const group = await world.group(org);
    const release = { name: "release", publicKey: key.pem };
    const created = await api.verificationKeys.create(group, release);
    assert.equal(created.fingerprint, sha256(derOf(key)));
    const { name, fingerprint } = await api.verificationKeys.get(created.uid);
    assert.deepEqual([name, fingerprint], ["release", created.fingerprint]);
    const other = keyPair("ed25519");
    const changed = await api.verificationKeys.update(created.uid, { publicKey: other.pem });
    assert.equal(changed.fingerprint, sha256(derOf(other)));
    const identity = await api.verificationKeys.create(group, { name: "ci", ...keyless() });
    assert.deepEqual([identity.fingerprint ?? "", identity.keyless.issuer], ["", IDENTITY.issuer]);
    const { verificationKeys } = await api.verificationKeys.list({ uidp: { childrenOf: group } });
    assert.deepEqual(verificationKeys.map((one: { name: string }) => one.name).sort(), [
      "ci",
      "release",
    ]);
    await api.verificationKeys.delete(created.uid);
    assert.equal((await rejected(api.verificationKeys.get(created.uid))).code, 5);
  });

  world.rule("what is no key is rejected, by field", async (api) => {
    const fields = async (key: object) =>
      Object.keys(
        (await rejected(api.verificationKeys.create(org, { name: "bad", ...key }))).fields,
      );
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const text = keyPair().pem;
    const pemOf = ({ publicKey }: { publicKey: KeyObject }) =>
      publicKey.export({ type: "spki", format: "pem" }).toString();
    for (const publicKey of [
      "none",
      privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      text + text,
      `# a comment\n${text}`,
      text.replace("PUBLIC", "RSA PUBLIC"),
      "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
      authority.pem,
      pemOf(generateKeyPairSync("rsa", { modulusLength: 1_024 })),
      pemOf(generateKeyPairSync("ec", { namedCurve: "secp256k1" })),
    ]) {
      assert.deepEqual(await fields({ publicKey }), ["publicKey"], publicKey);
    }
    assert.deepEqual(await fields({}), ["publicKey"]);
    assert.deepEqual(await fields({ publicKey: text, ...keyless() }), ["publicKey"]);
    const problems: [object, string][] = [
      [{ certificateAuthority: "" }, "certificateAuthority"],
      [{ certificateAuthority: text }, "certificateAuthority"],
      [{ transparencyLogs: "" }, "transparencyLogs"],
      [{ transparencyLogs: authority.pem }, "transparencyLogs"],
      [{ certificateLogs: "none" }, "certificateLogs"],
      [{ trustedRoot: "{}" }, "trustedRoot"],
      [{ certificateAuthority: "", transparencyLogs: "", trustedRoot: "none" }, "trustedRoot"],
      [{ certificateAuthority: "", transparencyLogs: "", trustedRoot: "{}" }, "trustedRoot"],
      [{ subject: "" }, "subject"],
      [{ issuer: "" }, "issuer"],
    ];
    for (const [given, field] of problems) {
      const found = await fields(keyless(given));
      assert.match(found.join(), new RegExp(`${field}$`), JSON.stringify(given));
    }
  });

  test("certificates that have issued each other, and those without a root, are rejected", async () => {
    const [one, other] = [
      await TestAuthority.create("CN=one"),
      await TestAuthority.create("CN=other"),
    ];
    const [crossed, back] = [
      await other.crossSigned("CN=one", one),
      await one.crossSigned("CN=other", other),
    ];
    const { verificationKeys } = world.operator();
    const created = (...pem: string[]) =>
      verificationKeys.create(org, {
        name: world.name("key"),
        ...keyless({ certificateAuthority: pem.join("\n") }),
      });
    for (const pem of [[crossed], [authority.pem, crossed, back]]) {
      assert.equal((await rejected(created(...pem))).code, 3);
    }
    await created(other.pem, crossed);
    await created(one.pem, other.pem);
  });

  test("a group has at most 32, each with a name of its own", async () => {
    const group = await world.group(org);
    const publicKey = keyPair().pem;
    const { verificationKeys } = world.operator();
    const create = (name: string) => verificationKeys.create(group, { name, publicKey });
    for (let count = 0; count < 32; count++) {
      await create(`key ${count}`);
      if (count === 0) assert.equal((await rejected(create("key 0"))).code, 6);
    }
    assert.deepEqual((await rejected(create("one more"))).violations, ["RESOURCE_LIMIT_EXCEEDED"]);
  });

  world.rule("members read keys, and owners write them", async (api) => {
    const group = await world.group(org);
    const { uid } = await api.verificationKeys.create(group, {
      name: world.name("key"),
      publicKey: keyPair().pem,
    });
    const caller = async (role: string, at = group) =>
      api.as((await world.member({ [at]: role })).token);
    const read = async (client: ApiClient) => (await client.verificationKeys.get(uid)).uid;
    const viewer = await caller("viewer");
    assert.equal(await read(viewer), uid);
    assert.equal(await read(await caller("owner")), uid);
    const stranger = await caller("owner", await world.organization());
    assert.equal((await rejected(read(stranger))).code, 7);
    const listed = await stranger.verificationKeys.list({});
    assert.ok(!JSON.stringify(listed).includes(uid));
    for (const client of [viewer, stranger]) {
      for (const call of [
        () => client.verificationKeys.create(group, { name: "mine", publicKey: keyPair().pem }),
        () => client.verificationKeys.update(uid, { name: "mine" }),
        () => client.verificationKeys.delete(uid),
      ]) {
        assert.equal((await rejected(call())).code, 7);
      }
    }
  });
});
