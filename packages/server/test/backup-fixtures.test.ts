/** Backups of earlier versions restore, whichever code encrypted them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readBackup } from "../src/app/backup/back-up.ts";
import { restore } from "../src/app/backup/restore.ts";
import type { Unlock } from "../src/lib/age/age.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { FIXTURES } from "./support/server/store-fixture.ts";
import { testSettings } from "./support/server/test-settings.ts";

const at = (name: string) => join(FIXTURES, "../backups", name);

const identity = readFileSync(at("identity.txt"), "utf8").split("\n")[1] as string;
const BACKUPS: Record<string, Unlock> = {
  "recipient.backup": { identities: [identity] },
  "passphrase.backup": { passphrase: "correct horse battery staple" },
};

for (const [name, unlock] of Object.entries(BACKUPS))
  test(`${name} restores`, async () => {
    const target = await testSettings(["--data", join(scratchFolder("wharf-backups-"), "data")]);
    assert.equal((await restore(target, { file: at(name), unlock })).rows, 199);
  });

test("a backup that no key opens says why", async () => {
  const read = (name: string, unlock: Unlock) =>
    readBackup(at(name), unlock, () => Promise.resolve());
  const [first, second] = Object.values(BACKUPS) as [Unlock, Unlock];
  const rejected = { name: "ConfigError" };
  await assert.rejects(read("passphrase.backup", first), { ...rejected, message: /for a passph/ });
  await assert.rejects(read("recipient.backup", second), {
    ...rejected,
    message: /for recipients/,
  });
});
