import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { EntryLine, Line } from "@wharf/contract/audit";
import { writeAudit } from "../../server/src/store/tables/audit/audit-and-events.ts";
import { DirectStore } from "../../server/test/support/server/direct-store.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { entryHash, Verifier } from "../src/audit/verify/verifier.ts";
import { Site } from "./support/site.ts";

describe("audit", () => {
  let site: Site;
  let org: string;
  let lines: Line[];
  let earlyKeys: string;
  const folder = scratchFolder("wharf-audit-");
  const file = join(folder, "audit.jsonl");
  before(async () => {
    site = await Site.start();
    earlyKeys = await publishedKeys();
    org = await site.make("organizations", "acme");
    for (const name of ["one", "two", "three"])
      await site.make("folders", name, "--parent", "acme");
    await site.ok("iam", "folders", "delete", "acme/two", "-y");
    await site.make("organizations", "other");
    // Another process writes a chain of its own, as a replica does.
    const replica = await DirectStore.open(site.server);
    for (let at = 0; at < 3; at++) {
      const entry = {
        ...{ time: Date.now(), actor: "a".repeat(40), method: "login", resource: org },
        ...{ requestId: `r${at}`, remoteAddress: "", userAgent: "replica\ud800", code: 0 },
        detail: JSON.stringify({ z: 1, a: { y: [1, { c: 2, b: 3 }] } }),
      };
      await replica.store.write(async (tx) => writeAudit(tx, entry));
    }
    await replica.store.close();
    await site.ok("audit", "export", "--resource", "acme", "--to", file);
    lines = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  });
  after(() => site.stop());

  const publishedKeys = async () =>
    (await fetch(`${site.server.url}/.well-known/wharf-audit-keys.json`)).text();

  test("lists who did what", async () => {
    const listed = await site.ok("audit", "list", "--resource", "acme", "--method", "Delete*");
    assert.match(listed, /^\d+ .* operator +DeleteGroup +acme\/two +OK$/m);
    const [uid = ""] = (
      await site.ok("audit", "list", "--method", "DeleteGroup", "-o", "id")
    ).split("\n");
    const shown = JSON.parse(await site.ok("audit", "get", uid, "-o", "json"));
    assert.equal(shown.resource.name, "two");
    assert.equal((await site.run("audit", "get", "999999")).code, 5);
  });

  test("exports CSV and OCSF", async () => {
    const csv = await site.ok("audit", "export", "--resource", "acme", "--as", "csv");
    assert.match(csv, /^uid,time,method,code,/);
    const events = (await site.ok("audit", "export", "--resource", "acme", "--as", "ocsf"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.ok(events.some(({ type_uid }) => type_uid === 300605));
  });

  const problemsOf = (changed: readonly Line[], keys?: readonly object[]) => {
    const verifier = new Verifier(keys);
    for (const line of changed) verifier.add(line);
    return verifier.finish().problems;
  };
  const entries = () => lines.filter(({ kind }) => kind === "entry") as EntryLine[];
  const at = (entry: EntryLine | undefined) => lines.indexOf(entry as EntryLine);

  test("verifies an export of two replicas", async () => {
    const printed = await site.ok("audit", "verify", file);
    assert.match(
      printed,
      /^verified \d+ entries in 2 chains, with \d+ checkpoints\nthe first entry/,
    );
    assert.deepEqual(problemsOf(lines), []);
  });

  test("finds a changed entry, whichever field", () => {
    const entry = entries()[1] as EntryLine;
    const changes: Partial<EntryLine>[] = [
      { time: new Date(Date.parse(entry.time) + 1).toISOString() },
      { method: "login" },
      { actor: { ...entry.actor, name: "eve" } },
      { actor: { ...entry.actor, uid: "b".repeat(40) } },
      { resource: { ...entry.resource, name: "eve" } },
      { resource: { ...entry.resource, type: "Role" } },
      { code: 7 },
      { changedFields: ["name"] },
      { session: "s" },
      { sourceAddress: "192.0.2.1" },
      { userAgent: "curl" },
      { via: "rest" },
      { requestId: "r" },
      { detail: { more: true } },
    ];
    for (const change of changes) {
      const found = problemsOf(lines.with(at(entry), { ...entry, ...change }));
      assert.match(found.join("\n"), /was changed/, JSON.stringify(change));
    }
  });

  test("finds a changed entry whose hash was computed again", () => {
    const entry = entries()[1] as EntryLine;
    const changed = { ...entry, code: 7 };
    const integrity = { ...entry.integrity, hash: "" } as NonNullable<EntryLine["integrity"]>;
    const hash = entryHash(changed, integrity);
    const forged = { ...changed, integrity: { ...integrity, hash } };
    assert.notDeepEqual(problemsOf(lines.with(at(entry), forged)), []);
  });

  test("finds removed entries: the first, one in the middle, the last of a chain", () => {
    for (const entry of [entries()[0], entries()[2], entries().at(-1)]) {
      const found = problemsOf(lines.toSpliced(at(entry), 1));
      assert.match(found.join("\n"), /missing/);
    }
    assert.match(problemsOf(lines.filter(({ kind }) => kind !== "entry")).join("\n"), /missing/);
  });

  test("finds inserted, repeated and reordered entries", () => {
    const [first, second] = entries() as [EntryLine, EntryLine];
    const integrity = { chain: "own-1", sequence: "1", previousHash: "", hash: "" };
    const own = { ...first, integrity: { ...integrity, hash: entryHash(first, integrity) } };
    const { integrity: _none, ...unhashed } = first;
    for (const inserted of [own, second, unhashed]) {
      assert.notDeepEqual(problemsOf(lines.toSpliced(at(second) + 1, 0, inserted)), []);
    }
    const swapped = lines.with(at(first), second).with(at(second), first);
    assert.match(problemsOf(swapped).join("\n"), /order|missing/);
  });

  test("finds removed, forged and foreign checkpoints", () => {
    const checkpoints = lines.filter(({ kind }) => kind === "checkpoint");
    for (const checkpoint of checkpoints) {
      const found = problemsOf(lines.toSpliced(lines.indexOf(checkpoint), 1));
      assert.notDeepEqual(found, []);
    }
    const [checkpoint] = checkpoints as [Line & { kind: "checkpoint" }];
    const [header = "", payload = "", signature = ""] = checkpoint.signed.split(".");
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const content = `${header}.${payload}`;
    const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
    const forged = `${content}.${sign("sha256", Buffer.from(content), key).toString("base64url")}`;
    const place = lines.indexOf(checkpoint);
    for (const signed of [forged, `${header}.${payload}x.${signature}`, "a.b.c", ""]) {
      assert.notDeepEqual(problemsOf(lines.with(place, { kind: "checkpoint", signed })), []);
    }
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
    const theirs = { ...publicKey.export({ format: "jwk" }), kid };
    assert.match(problemsOf(lines, [theirs]).join("\n"), /invalid signature/);
  });

  test("reports an unknown key as unknown, not as tampering", async () => {
    const verifier = new Verifier([]);
    for (const line of lines) verifier.add(line);
    const { problems, unknownKeys } = verifier.finish();
    assert.deepEqual(problems, []);
    assert.equal(unknownKeys.length, 1);
    const none = join(folder, "none.json");
    writeFileSync(none, '{"keys":[]}');
    const { code, stderr } = await site.run("audit", "verify", file, "--keys", none);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`not verified: .* unknown keys: ${unknownKeys[0]}`));
    assert.doesNotMatch(stderr, /tampered/);
    // The change is found with any keys.
    const entry = entries()[1] as EntryLine;
    const changed = lines.with(at(entry), { ...entry, code: 7 });
    assert.match(problemsOf(changed, []).join("\n"), /was changed/);
  });

  test("finds a chain that follows a checkpoint which is not there", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = { ...publicKey.export({ format: "jwk" }), kid: "own" };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = (claims: object) => {
      const content = `${part({ alg: "ES256", kid: "own" })}.${part(claims)}`;
      const signature = sign("sha256", Buffer.from(content), {
        key: privateKey,
        dsaEncoding: "ieee-p1363",
      });
      return `${content}.${signature.toString("base64url")}`;
    };
    /** An export whose only chain follows a checkpoint; retention has deleted those before `first`. */
    const following = (previousHash: string, first: number): readonly Line[] => {
      const integrity = { chain: "c-1", sequence: "1", previousHash, hash: "" };
      const entry = entries()[0] as EntryLine;
      const hash = entryHash(entry, integrity);
      const end = { chain: "c-1", sequence: 1, hash };
      const claims = { type: "wharf-audit-checkpoint", root: org, number: first, previous: "" };
      return [
        { ...lines[0], roots: [org] } as Line,
        { kind: "checkpoint", signed: signed({ ...claims, ...end, first }) },
        { ...entry, integrity: { ...integrity, hash } },
      ];
    };
    const name = `5:${"a".repeat(64)}`;
    assert.deepEqual(problemsOf(following("", 1), [key]), []);
    assert.deepEqual(problemsOf(following(name, 6), [key]), [], "retention has deleted it");
    for (const bad of [name, "5:", "a".repeat(64), `1:${"a".repeat(64)}`]) {
      assert.match(problemsOf(following(bad, 1), [key]).join("\n"), /cut back/, bad);
    }
  });

  test("compares with an older export", async () => {
    await site.make("folders", "four", "--parent", "acme");
    const newer = join(folder, "newer.jsonl");
    await site.ok("audit", "export", "--resource", "acme", "--to", newer);
    const printed = await site.ok("audit", "verify", newer, "--since", file);
    assert.match(printed, new RegExp(`\\d+ checkpoints of ${file} are in it`));
    const isCheckpoint = (line: Line) => line.kind === "checkpoint";
    const kept = lines.filter(isCheckpoint).length;
    const text = readFileSync(newer, "utf8").trim().split("\n");
    const parsed = text.map((line) => JSON.parse(line) as Line);
    // The log as of the older export, under the time of the newer one.
    const cut = join(folder, "cut.jsonl");
    const before = lines.with(0, parsed[0] as Line);
    writeFileSync(cut, before.map((line) => JSON.stringify(line)).join("\n"));
    await site.ok("audit", "verify", cut);
    const failed = await site.run("audit", "verify", cut, "--since", newer);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, new RegExp(`checkpoint ${kept + 1} .* older export .* cut back`));
    const swapped = await site.run("audit", "verify", file, "--since", newer);
    assert.match(swapped.stderr, /the export to compare with is the newer one/);
    const other = join(folder, "other.jsonl");
    await site.ok("audit", "export", "--resource", "other", "--to", other);
    const foreign = await site.run("audit", "verify", other, "--since", file);
    assert.equal(foreign.code, 1);
    assert.match(foreign.stderr, /nothing can be compared/);
    const missing = await site.run("audit", "verify", file, "--since", join(folder, "none"));
    assert.equal(missing.code, 1);
  });

  test("says what is wrong, and fails", async () => {
    const changed = join(folder, "changed.jsonl");
    const entry = entries()[1] as EntryLine;
    const text = lines.with(at(entry), { ...entry, code: 7 }).map((line) => JSON.stringify(line));
    writeFileSync(changed, text.join("\n"));
    const { code, stderr } = await site.run("audit", "verify", changed);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`entry ${entry.uid} was changed`));
    const keys = join(folder, "keys.json");
    for (const published of [earlyKeys, await publishedKeys()]) {
      writeFileSync(keys, published);
      await site.ok("audit", "verify", file, "--keys", keys);
    }
    for (const bad of ["", "{}", "no json"]) {
      writeFileSync(changed, bad);
      assert.equal((await site.run("audit", "verify", changed)).code, 1);
    }
  });

  test("verifies the entries of a filtered export", async () => {
    const part = join(folder, "part.jsonl");
    await site.ok("audit", "export", "--resource", "acme", "--method", "Create*", "--to", part);
    assert.match(await site.ok("audit", "verify", part), /filtered: removed entries cannot/);
    await site.ok("audit", "export", "--to", part);
    assert.match(await site.ok("audit", "verify", part), /^verified/);
  });
});
