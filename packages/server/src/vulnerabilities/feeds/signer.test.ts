import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { generateKey } from "openpgp";
import { openSigner } from "./signer.ts";

const LIFETIME_SECONDS = 3;

describe("the signer of feeds", () => {
  test("signs the same text once, also for concurrent requests", async () => {
    const signer = await signerWith({});
    const [first, second, other] = await Promise.all(
      ["a", "a", "b"].map((one) => signer.sign(one)),
    );
    assert.equal(first, second);
    assert.notEqual(first, other);
    assert.equal(await signer.sign("a"), first);
  });

  test("signs nothing more once its key has expired", async () => {
    const signer = await signerWith({ keyExpirationTime: LIFETIME_SECONDS });
    const before = await signer.sign("before");
    await setTimeout(LIFETIME_SECONDS * 1_000);
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(signer.sign("after"), {
        code: "UNAVAILABLE",
        message: /the OpenPGP key of CSAF documents expired at /,
      });
    }
    assert.equal(await signer.sign("before"), before);
  });
});

async function signerWith(options: { keyExpirationTime?: number }) {
  const folder = mkdtempSync(join(tmpdir(), "wharf-signer-"));
  try {
    const path = join(folder, "key.asc");
    const userIDs = [{ name: "Acme" }];
    writeFileSync(path, (await generateKey({ userIDs, ...options })).privateKey, { mode: 0o600 });
    const signer = await openSigner(path);
    assert.ok(signer);
    return signer;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
