import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { testSettings } from "../../test/support/server/test-settings.ts";
import { ConfigError } from "../config/settings.ts";
import { openStore } from "../store/db/open.ts";
import type { Store } from "../store/db/store.ts";
import { Secrets } from "./secrets.ts";

const KEY = Buffer.alloc(32, 7);

describe("sealing", () => {
  const secrets = new Secrets(KEY);

  test("a sealed value opens for the same owner and name only", () => {
    const sealed = secrets.seal("a", "b", "confidential ü");
    assert.equal(secrets.unseal("a", "b", sealed), "confidential ü");
    for (const [owner, name] of [
      ["a", "c"],
      ["b", "b"],
      ["", "ab"],
      ["ab", ""],
    ] as const)
      assert.throws(() => secrets.unseal(owner, name, sealed));
    assert.throws(() => new Secrets(Buffer.alloc(32, 8)).unseal("a", "b", sealed));
  });

  test("a changed value does not open", () => {
    const sealed = secrets.seal("a", "b", "secret");
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      assert.throws(() => secrets.unseal("a", "b", changed));
    }
    assert.throws(() => secrets.unseal("a", "b", sealed.subarray(0, 20)));
  });

  test("a value sealed by an earlier version opens", () => {
    const sealed = "Ab4EpMOi3cqxNrtCiruXMcWwvaO5zRjPO4Xi2CO9CjRJTEJA_Eg";
    const opened = secrets.unseal("owner", "name", Buffer.from(sealed, "base64url"));
    assert.equal(opened, "für sich");
  });

  test("equal secrets are sealed differently", () => {
    assert.notDeepEqual(secrets.seal("a", "b", "x"), secrets.seal("a", "b", "x"));
  });
});

describe("the key of an installation", () => {
  const data = mkdtempSync(join(tmpdir(), "wharf-secrets-"));
  after(() => rmSync(data, { recursive: true, force: true }));
  const file = (name: string, content: string | Uint8Array) => {
    writeFileSync(join(data, name), content);
    return join(data, name);
  };

  async function opened<T>(flags: string[], work: (secrets: Secrets, store: Store) => Promise<T>) {
    const settings = await testSettings(["--data", data, ...flags]);
    const store = await openStore(settings, [], { committed() {} });
    try {
      return await work(await Secrets.open(settings, store), store);
    } finally {
      await store.close();
    }
  }
  const put = (secrets: Secrets, store: Store) =>
    store.write((tx) => secrets.put(tx, "owner", "name", "value"));
  const rejects = (flags: string[], why: RegExp) =>
    assert.rejects(
      opened(flags, async () => {}),
      (error: Error) => error instanceof ConfigError && why.test(error.message),
    );

  test("it is created beside the database, readable by its owner only, and reused", async () => {
    await opened([], async () => {});
    const path = join(data, "secret.key");
    const made = readFileSync(path);
    assert.equal(made.length, 32);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await opened([], put);
    assert.deepEqual(readFileSync(path), made);
    await opened([], async (secrets, store) => {
      assert.equal(await secrets.get(store.reader, "owner", "name"), "value");
      assert.equal(await secrets.get(store.reader, "owner", "other"), undefined);
    });
  });

  test("a wrong or missing key is rejected at start", async () => {
    const other = file("other.key", KEY);
    await rejects(
      ["--secret-key-file", other],
      /other\.key is not the key that stored keys and secrets were sealed with\. Restore it .* --secret-key-file/,
    );
    const made = readFileSync(join(data, "secret.key"));
    rmSync(join(data, "secret.key"));
    await rejects(
      [],
      /secret\.key is missing: stored keys and secrets cannot be read without it\. Restore it/,
    );
    const moved = file("moved.key", made.toString("base64"));
    await opened(["--secret-key-file", moved], async (secrets, store) => {
      assert.equal(await secrets.get(store.reader, "owner", "name"), "value");
    });
  });

  test("a file without a key is rejected", async () => {
    await rejects(["--secret-key-file", join(data, "nowhere")], /nowhere is missing/);
    for (const content of ["", "short", "x".repeat(33), Buffer.alloc(64)]) {
      const path = file("bad.key", content);
      await rejects(["--secret-key-file", path], /bad\.key must contain 32 random bytes/);
    }
  });

  test("a server that was started with another key cannot add a secret", async () => {
    await opened(["--secret-key-file", join(data, "moved.key")], async (_secrets, store) => {
      await assert.rejects(put(new Secrets(KEY), store), /another key/);
    });
  });
});
