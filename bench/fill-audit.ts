/**
 * `node bench/fill-audit.ts DIR COUNT`: creates a database with COUNT audit entries, linked by the modules of
 * the server. Commits do not wait for the disk.
 */
import { join } from "node:path";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import { openSqlite } from "@wharf/server/store/db/sqlite.ts";
import { Store } from "@wharf/server/store/db/store.ts";
import { type AuditEntry, writeAudit } from "@wharf/server/store/tables/audit/audit-and-events.ts";
import { setCheckpointedId } from "@wharf/server/store/tables/audit/heads.ts";
import { ORGANIZATION } from "./organization.ts";

/** Entries per transaction. */
const BATCH_SIZE = 5_000;

const FIRST_MS = Date.UTC(2026, 0, 1);

const METHODS = ["CreateGroup", "UpdateGroup", "DeleteGroup", "CreateRepo", "CreateRoleBinding"];

function hex(number: number): string {
  return number.toString(16).padStart(16, "0");
}

function entryAt(at: number): AuditEntry {
  return {
    time: FIRST_MS + at * 1_000,
    actor: `${ORGANIZATION}/${hex(at % 20)}`,
    actorName: `identity-${at % 20}`,
    method: `wharf.iam.v2beta1.GroupsService/${METHODS[at % METHODS.length]}`,
    resource: `${ORGANIZATION}/${hex(at % 500)}/${hex(at)}`,
    resourceName: `resource-${at}`,
    resourceType: "Group",
    requestId: `request-${at}`,
    remoteAddress: `192.0.2.${at % 50}`,
    userAgent: "wharf-client",
    code: at % 37 === 0 ? 7 : 0,
    detail: "",
    session: `session-${at % 1_000}`,
    via: "rest",
  };
}

const [folder = "", text] = process.argv.slice(2);
const count = Number(text);
const driver = openSqlite(join(folder, "wharf.db"));
const tables = Object.values(RESOURCES).map((resource) => resource.table);
const store = await Store.open(driver, tables, { committed() {} });
await driver.writer.run("PRAGMA synchronous = OFF");
for (let from = 0; from < count; from += BATCH_SIZE) {
  await store.write(async (tx) => {
    const to = Math.min(count, from + BATCH_SIZE);
    for (let at = from; at < to; at++) writeAudit(tx, entryAt(at));
  });
}
// Otherwise servers would sign checkpoints of all entries while they are measured.
await store.write((tx) => setCheckpointedId(tx, count));
await driver.writer.get("PRAGMA wal_checkpoint(TRUNCATE)");
await store.close();
