/** Backups by schedule: one server of several takes each time, old ones are deleted, and metrics say so. */
import assert from "node:assert/strict";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { restore } from "../../src/app/backup/restore.ts";
import { LAST, ScheduledBackups } from "../../src/app/backup/scheduled-backups.ts";
import { createIdentity } from "../../src/lib/age/age.ts";
import { Logger } from "../../src/observe/logger.ts";
import { Metrics } from "../../src/observe/metrics.ts";
import { readInstallation, writeInstallation } from "../../src/store/tables/installation.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { TestServer } from "../support/server/test-server.ts";
import { testSettings } from "../support/server/test-settings.ts";

const HOUR_MS = 3_600_000;

test("a time that has passed is made up for, by one of several servers", async (t) => {
  const server = await TestServer.start();
  t.after(() => server.stop());
  const direct = await DirectStore.open(server);
  t.after(() => direct.close());
  const { store } = direct;
  const folder = scratchFolder("wharf-schedule-");
  t.after(() => rmSync(folder, { recursive: true }));
  const { recipient, secret } = await createIdentity();
  const backups = join(folder, "backups");
  const flags = ["--backup-schedule", "@hourly", "--backup-dir", backups, "--backup-keep", "2"];
  const settings = await testSettings([
    ...server.storeFlags,
    ...flags,
    "--backup-recipients",
    recipient,
  ]);
  const lines: string[] = [];
  const log = new Logger("info", (line) => lines.push(line));
  const names = () => readdirSync(backups).sort();

  const round = async () => {
    await writeInstallation(store, LAST, String(Date.now() - 2 * HOUR_MS));
    const metrics = [new Metrics(), new Metrics()];
    const servers = metrics.map(
      (one) => new ScheduledBackups({ settings, store, metrics: one, log }),
    );
    for (const one of servers) one.start();
    const before = lines.length;
    while (lines.length === before) await sleep(10);
    for (const one of servers) await one.stop();
    return Promise.all(metrics.map(async (one) => (await one.text()).body));
  };

  const texts = await round();
  assert.match(lines[0] ?? "", /"msg":"backed up"/);
  assert.equal(names().length, 1, "one of the two");
  const succeeded = texts.filter((text) =>
    text.includes('wharf_backups_total{outcome="succeeded"} 1'),
  );
  assert.equal(succeeded.length, 1);
  assert.match(succeeded[0] ?? "", /wharf_backup_last_success_timestamp_seconds \d{10}/);
  assert.match(succeeded[0] ?? "", /wharf_backup_last_size_bytes \d{4}/);
  assert.ok(Number(await readInstallation(store.reader, LAST)) > Date.now() - 2 * HOUR_MS);

  writeFileSync(join(backups, "of-somebody-else.backup"), "");
  await round();
  await round();
  assert.equal(names().length, 3, "two, and what is not ours");
  const newest = names()
    .filter((name) => name.startsWith("wharf-"))
    .at(-1) as string;
  const restored = await testSettings(["--data", join(folder, "restored")]);
  const identities = [secret];
  await restore(restored, { file: join(backups, newest), unlock: { identities } });

  const broken = { ...settings, backupDir: join(backups, newest) };
  await writeInstallation(store, LAST, String(Date.now() - 2 * HOUR_MS));
  const metrics = new Metrics();
  const failing = new ScheduledBackups({ settings: broken, store, metrics, log });
  const before = lines.length;
  failing.start();
  while (lines.length === before) await sleep(10);
  await failing.stop();
  assert.match(lines.at(-1) ?? "", /"level":"error".*"msg":"backup failed"/);
  assert.match((await metrics.text()).body, /wharf_backups_total\{outcome="failed"\} 1/);
});
