import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scratchFolder } from "../../../test/support/server/scratch-folder.ts";
import { AgeWriter, createIdentity, decrypt, type Lock, type Unlock } from "./age.ts";
import { readIdentity, readRecipient } from "./keys.ts";

/** Around the size of a chunk, and in parts of several sizes. */
const SIZES = [0, 1, 65_535, 65_536, 65_537, 131_072, 200_001];

const mine = await createIdentity();
const identities = [mine.secret];
const recipients = [mine.recipient];

async function encrypted(lock: Lock, content: Buffer): Promise<Buffer> {
  const writer = new AgeWriter(lock);
  const file = Buffer.concat(await Array.fromAsync(writer.encrypt(parts(content, 10_007))));
  assert.ok((await decrypted(file, writer.unlock)).equals(content), "its writer reads it");
  return file;
}

async function decrypted(file: Buffer, unlock: Unlock): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(decrypt(parts(file, 33_333), unlock)));
}

async function* parts(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

test("the reference program reads what we write, and the other way round", async () => {
  const key = join(scratchFolder("age-"), "identity");
  writeFileSync(key, `${mine.secret}\n`);
  const age = (input: Buffer, ...words: string[]) => execFileSync("/usr/bin/age", words, { input });
  const other = await createIdentity();
  for (const size of SIZES) {
    const content = randomBytes(size);
    const ours = await encrypted({ recipients: [other.recipient, ...recipients] }, content);
    assert.ok(age(ours, "-d", "-i", key).equals(content), `we write ${size} bytes`);
    assert.ok((await decrypted(ours, { identities: [other.secret] })).equals(content));
    const theirs = age(content, "-r", mine.recipient);
    assert.ok((await decrypted(theirs, { identities })).equals(content), `we read ${size} bytes`);
  }
});

test("a passphrase opens what was encrypted with it, and nothing else", async () => {
  const passphrase = "correct horse battery staple";
  const written = await encrypted({ passphrase, workFactor: 10 }, Buffer.from("content"));
  await assert.rejects(decrypted(written, { passphrase: "another" }), /passphrase is another one/);
  await assert.rejects(decrypted(written, { identities }), /for a passphrase/);
  const forKeys = await encrypted({ recipients }, Buffer.from("content"));
  await assert.rejects(decrypted(forKeys, { passphrase }), /for recipients, not for a passphrase/);
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
  await assert.rejects(decrypted(extended, { identities }), /it was changed or cut off/);
  for (const other of ["", "text", "age-encryption.org/v2\n"])
    await assert.rejects(decrypted(Buffer.from(other), { identities }), /not a file .* with age/);
});

test("keys with a typing error are not keys", () => {
  assert.equal(
    readRecipient(mine.recipient.replace(/.$/, (last) => (last === "q" ? "p" : "q"))),
    undefined,
  );
  assert.equal(readRecipient(mine.secret), undefined);
  assert.equal(readIdentity(mine.recipient), undefined);
  assert.equal(readRecipient("age1"), undefined);
  assert.equal(readIdentity(mine.secret.toLowerCase()), mine.secret);
  assert.equal(readRecipient(mine.recipient.toUpperCase()), mine.recipient);
});

test("other recipients cannot read it", async () => {
  const file = await encrypted({ recipients }, Buffer.from("content"));
  const { secret } = await createIdentity();
  await assert.rejects(decrypted(file, { identities: [secret] }), /for other recipients/);
});
