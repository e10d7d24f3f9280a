import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { createAgeFile, decrypt, type Lock, type Unlock } from "./age.ts";
import { createIdentity, readIdentity, readRecipient } from "./x25519.ts";

/** Around the size of a chunk, and in parts of several sizes. */
const SIZES = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_001];

const mine = createIdentity();
const identities = [readIdentity(mine.secret)].filter((key) => key !== undefined);
const recipients = [readRecipient(mine.recipient)].filter((key) => key !== undefined);

async function encrypted(lock: Lock, content: Buffer): Promise<Buffer> {
  const file = await createAgeFile(lock);
  return Buffer.concat(await Array.fromAsync(file.encrypt(parts(content, 10_007))));
}

async function decrypted(file: Buffer, unlock: Unlock): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(decrypt(parts(file, 33_333), unlock)));
}

async function* parts(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

test("what one implementation writes, the other reads", async () => {
  const other = await generateX25519Identity();
  const theirs = await identityToRecipient(other);
  for (const size of SIZES) {
    const content = randomBytes(size);
    const key = readRecipient(theirs);
    assert.ok(key);
    const ours = await encrypted({ recipients: [...recipients, key] }, content);
    const reader = new Decrypter();
    reader.addIdentity(other);
    assert.ok(Buffer.from(await reader.decrypt(ours)).equals(content), `we write ${size} bytes`);
    assert.ok((await decrypted(ours, { identities })).equals(content));
    const writer = new Encrypter();
    writer.addRecipient(mine.recipient);
    const written = Buffer.from(await writer.encrypt(content));
    assert.ok((await decrypted(written, { identities })).equals(content), `we read ${size} bytes`);
  }
});

test("passphrases work with the other implementation, too", async () => {
  const content = Buffer.from("content");
  const passphrase = "correct horse battery staple";
  const reader = new Decrypter();
  reader.addPassphrase(passphrase);
  const ours = await encrypted({ passphrase, workFactor: 10 }, content);
  assert.ok(Buffer.from(await reader.decrypt(ours)).equals(content));
  const writer = new Encrypter();
  writer.setPassphrase(passphrase);
  writer.setScryptWorkFactor(10);
  const written = Buffer.from(await writer.encrypt(content));
  assert.ok((await decrypted(written, { passphrase })).equals(content));
  await assert.rejects(decrypted(written, { passphrase: "another" }), /passphrase is another one/);
  await assert.rejects(decrypted(written, { identities }), /for a passphrase/);
});

test("a changed, shortened or extended file is rejected wherever it differs", async () => {
  const file = await encrypted({ recipients }, randomBytes(70_000));
  const body = file.indexOf("\n---") + 1;
  for (const at of [0, 30, body - 5, body + 10, body + 60, body + 40_000, file.length - 1]) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] as number) ^ 1;
    await assert.rejects(decrypted(changed, { identities }), { name: "AgeError" }, `byte ${at}`);
  }
  for (const length of [0, 10, body, body + 50, body + 64 + 65_552, file.length - 1])
    await assert.rejects(decrypted(file.subarray(0, length), { identities }), { name: "AgeError" });
  const extended = Buffer.concat([file, Buffer.of(0)]);
  await assert.rejects(decrypted(extended, { identities }), { name: "AgeError" });
  await assert.rejects(decrypted(Buffer.from("text"), { identities }), /not a file .* with age/);
});

test("keys with a typing error are not keys", () => {
  assert.equal(
    readRecipient(mine.recipient.replace(/.$/, (last) => (last === "q" ? "p" : "q"))),
    undefined,
  );
  assert.equal(readRecipient(mine.secret), undefined);
  assert.equal(readIdentity(mine.recipient), undefined);
  assert.equal(readRecipient("age1"), undefined);
  assert.ok(readIdentity(mine.secret.toLowerCase()));
});

test("other recipients cannot read it", async () => {
  const file = await encrypted({ recipients }, Buffer.from("content"));
  const other = readIdentity(createIdentity().secret);
  assert.ok(other);
  await assert.rejects(decrypted(file, { identities: [other] }), /for other recipients/);
});
