import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as openpgp from "openpgp";
import { approved, Scanner } from "./support/client/feed-client.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { TestServer } from "./support/server/test-server.ts";
import { written } from "./support/world/advisories.ts";
import { feedsOf } from "./support/world/feeds.ts";
import { onStore } from "./support/world/world.ts";

const userIDs = [{ name: "Acme", email: "security@acme.example" }];
const DAY_SECONDS = 86_400;
const yesterday = new Date(Date.now() - DAY_SECONDS * 1_000);
const folder = scratchFolder("wharf-openpgp-");

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const { privateKey, publicKey, revocationCertificate } = await openpgp.generateKey({ userIDs });
const revokedKey = await openpgp
  .revokeKey({
    key: await openpgp.readPrivateKey({ armoredKey: privateKey }),
    revocationCertificate,
    format: "object",
  })
  .then((pair) => (pair.privateKey as openpgp.PrivateKey).armor());
const flags = ["--csaf-openpgp-key", fileOf("private.asc", privateKey)];
const fingerprint = (await openpgp.readKey({ armoredKey: publicKey }))
  .getFingerprint()
  .toUpperCase();

const ONE = {
  advisoryId: "CGA-2222-2222-2222",
  aliases: ["CVE-2026-0001"],
  // Beyond ASCII, so that the signature is one of bytes.
  events: [approved({ fixed: { fixedVersion: "3.5.0-r0" } }), note("Grüße")],
};
const DOCUMENT = `csaf/${new Date().getUTCFullYear()}/apk-openssl.json`;

function note(text: string) {
  return approved({ truePositiveDetermination: { note: text } }, 2);
}

async function isSignedBy(key: string, bytes: Buffer, armoredSignature: string): Promise<boolean> {
  const { signatures } = await openpgp.verify({
    message: await openpgp.createMessage({ binary: bytes }),
    signature: await openpgp.readSignature({ armoredSignature }),
    verificationKeys: await openpgp.readKey({ armoredKey: key }),
  });
  assert.equal(signatures.length, 1);
  return signatures[0]?.verified.catch(() => false) ?? false;
}

// The store has no part in signatures; `feeds.test.ts` reads documents from both.
onStore(
  "sqlite",
  "signatures of CSAF documents",
  (world) => {
    const feeds = feedsOf(world);

    test("are found and verified as a client does, from the metadata on", async () => {
      const group = await feeds.publicGroup(ONE);
      const base = `${world.server.url}/feeds/${group}/csaf`;
      const provider = (await feeds.scanner.get(`${group}/csaf/provider-metadata.json`)).json;
      assert.deepEqual(provider.public_openpgp_keys, [
        { fingerprint, url: `${base}/openpgp/${fingerprint}.asc` },
      ]);
      assert.equal(provider.role, "csaf_publisher");
      const served = await fetch(provider.public_openpgp_keys[0].url);
      assert.equal(served.headers.get("content-type"), "application/pgp-keys");
      const key = await served.text();
      const read = await openpgp.readKey({ armoredKey: key });
      assert.deepEqual(
        [read.isPrivate(), read.getFingerprint().toUpperCase()],
        [false, fingerprint],
      );

      const { feed } = (await feeds.scanner.get(`${group}/csaf/csaf-feed-tlp-white.json`)).json;
      const [{ content, link }] = feed.entry;
      assert.deepEqual(
        link.map(({ rel }: { rel: string }) => rel),
        ["self", "hash", "hash", "signature"],
      );
      assert.equal(link.at(-1).href, `${content.src}.asc`);
      const signature = await fetch(link.at(-1).href);
      assert.equal(signature.headers.get("content-type"), "application/pgp-signature");
      const armored = await signature.text();
      const bytes = Buffer.from(await (await fetch(content.src)).arrayBuffer());
      assert.ok(bytes.includes("Grüße"));
      assert.equal(await isSignedBy(key, bytes, armored), true);
      assert.equal(await isSignedBy(key, Buffer.concat([bytes, Buffer.from(" ")]), armored), false);
    });

    test("follow their document, and are validated by a weak tag only", async () => {
      const group = await feeds.publicGroup(ONE);
      const path = `${group}/${DOCUMENT}`;
      const first = await feeds.scanner.get(`${path}.asc`);
      assert.deepEqual((await feeds.scanner.get(`${path}.asc`)).bytes, first.bytes);
      const etag = first.headers.get("etag") ?? "";
      assert.match(etag, /^W\/"/);
      assert.equal(first.headers.get("last-modified"), null);
      assert.equal((await feeds.scanner.get(`${path}.asc`, { "if-none-match": etag })).status, 304);
      const since = { "if-modified-since": new Date(Date.now() + 60_000).toUTCString() };
      assert.equal((await feeds.scanner.get(`${path}.asc`, since)).status, 200);

      await written(feeds.direct, group, { ...ONE, advisoryId: "CGA-3333-3333-3333", aliases: [] });
      const next = await feeds.scanner.get(`${path}.asc`, { "if-none-match": etag });
      assert.equal(next.status, 200);
      const { bytes } = await feeds.scanner.get(path);
      assert.equal(await isSignedBy(publicKey, bytes, next.bytes.toString()), true);
      assert.equal(await isSignedBy(publicKey, bytes, first.bytes.toString()), false);
    });

    test("of many documents at a time are each their own", async () => {
      const group = await feeds.publicGroup(ONE);
      const names = Array.from({ length: 8 }, (_, at) => `part${at}`);
      const further = names.map((artifactName, at) => ({
        ...ONE,
        artifactName,
        advisoryId: `CGA-4444-4444-444${at + 2}`,
      }));
      await written(feeds.direct, group, ...further);
      const paths = [...names, ...names].map(
        (name) => `${group}/${DOCUMENT.replace("openssl", name)}`,
      );
      const answers = await Promise.all(paths.map((path) => feeds.scanner.get(`${path}.asc`)));
      for (const [at, path] of paths.entries()) {
        const { bytes } = await feeds.scanner.get(path);
        assert.equal(await isSignedBy(publicKey, bytes, String(answers[at]?.bytes)), true, path);
      }
    });

    test("and the key are as private as the feed, and exist for documents and the key only", async () => {
      const group = await world.organization();
      await written(feeds.direct, group, ONE);
      const key = `csaf/openpgp/${fingerprint}.asc`;
      const reader = await world.member({ [group]: ["advisories.list"] });
      const stranger = await world.member();
      for (const path of [`${group}/${DOCUMENT}.asc`, `${group}/${key}`]) {
        const as = (token: string) => feeds.scanner.get(path, { authorization: `Bearer ${token}` });
        const statuses = [
          await feeds.scanner.get(path),
          await as(stranger.token),
          await as(reader.token),
        ];
        assert.deepEqual(
          statuses.map(({ status }) => status),
          [401, 404, 200],
          path,
        );
      }
      const open = await feeds.publicGroup(ONE);
      const missing = [
        `csaf/openpgp/${"0".repeat(40)}.asc`,
        DOCUMENT.replace("openssl", "absent.json.asc"),
        `${DOCUMENT.replace(/\d{4}/, "1999")}.asc`,
        `${DOCUMENT}.sha256.asc`,
        "csaf/index.txt.asc",
      ];
      for (const path of missing) {
        for (const headers of [{}, { "if-none-match": "*" }]) {
          assert.equal((await feeds.scanner.get(`${open}/${path}`, headers)).status, 404, path);
        }
      }
    });

    test("do not exist without a key, and then nothing names them", async () => {
      const group = await feeds.publicGroup(ONE);
      const signed = await feeds.scanner.get(`${group}/csaf/provider-metadata.json`);
      const { server } = world;
      await server.terminate();
      await server.restart([]);
      try {
        const unsigned = new Scanner(server.url);
        for (const path of [`${DOCUMENT}.asc`, `csaf/openpgp/${fingerprint}.asc`]) {
          assert.equal((await unsigned.get(`${group}/${path}`)).status, 404, path);
        }
        const etag = signed.headers.get("etag") ?? "";
        const provider = await unsigned.get(`${group}/csaf/provider-metadata.json`, {
          "if-none-match": etag,
        });
        assert.equal(provider.status, 200, "the tag follows the key");
        assert.ok(!("public_openpgp_keys" in provider.json));
        const rolie = await unsigned.get(`${group}/csaf/csaf-feed-tlp-white.json`);
        assert.ok(!rolie.bytes.includes('"signature"'));
      } finally {
        await server.terminate();
        await server.restart();
      }
    });
  },
  { flags },
);

describe("the start ends with the reason if the OpenPGP key", () => {
  const generate = async (options: object) =>
    (await openpgp.generateKey({ userIDs, format: "armored", ...options })).privateKey;
  const unbound = async () => {
    const key = await openpgp.readPrivateKey({ armoredKey: privateKey });
    for (const user of key.users) user.selfCertifications = [];
    return key.armor();
  };
  const both = async () => {
    const keys = [privateKey, await generate({})];
    const read = await Promise.all(
      keys.map((armoredKey) => openpgp.readPrivateKey({ armoredKey })),
    );
    const bytes = Buffer.concat(read.map((key) => key.write()));
    return openpgp.armor(openpgp.enums.armor.privateKey, bytes);
  };
  const bad: [string, () => string | Promise<string>, RegExp][] = [
    ["is no key", () => "secret", /is not an armored OpenPGP key: /],
    ["is empty", () => "", /is not an armored OpenPGP key: /],
    ["is public only", () => publicKey, /has no private key, only the public one/],
    ["has a passphrase", () => generate({ passphrase: "open" }), /is protected by a passphrase: /],
    [
      "has expired",
      () => generate({ date: yesterday, keyExpirationTime: DAY_SECONDS / 2 }),
      /expired at \d{4}-.*Z$/,
    ],
    ["is revoked", () => revokedKey, /is revoked$/],
    ["has no self-signature", unbound, /cannot sign: /],
    ["is one of two", both, /must contain one OpenPGP key, not 2$/],
  ];
  for (const [title, content, reason] of bad) {
    test(title, async () => {
      const path = fileOf(`${title}.asc`, await content());
      await assertNoStart(path, reason);
    });
  }

  test("is missing or unreadable", async () => {
    await assertNoStart(join(folder, "missing.asc"), /cannot be read: ENOENT/);
    await assertNoStart(folder, /cannot be read: EISDIR/);
  });
});

async function assertNoStart(path: string, reason: RegExp): Promise<void> {
  await assert.rejects(TestServer.start({ flags: ["--csaf-openpgp-key", path] }), (error) => {
    assert.ok(error instanceof Error && error.name === "ConfigError", String(error));
    assert.ok(error.message.startsWith(`--csaf-openpgp-key ${path} `), error.message);
    assert.match(error.message, reason);
    return true;
  });
}
