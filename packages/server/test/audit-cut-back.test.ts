import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryLine, Line } from "@wharf/contract/audit";
import { Verifier } from "../../cli/src/audit/verify/verifier.ts";
import type { Transaction } from "../src/store/db/commit/transaction.ts";
import { checkpointHash } from "../src/store/tables/audit/checkpoints.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

interface Sealed {
  readonly owner: string;
  readonly name: string;
  readonly sealed: Uint8Array;
}

const SEALS = "owner = 'audit-checkpoints'";

onEachStore("a store whose audit log was cut back to an earlier checkpoint", (world) => {
  const exported = async (resource: string): Promise<Line[]> => {
    const { audit } = world.operator();
    let text = "";
    let pageToken = "";
    do {
      const part = await audit.exportAuditEntries({ filter: { resource }, pageToken });
      text += part.content;
      pageToken = part.nextPageToken ?? "";
    } while (pageToken !== "");
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  const verifierOf = (lines: readonly Line[]) => {
    const verifier = new Verifier();
    for (const line of lines) verifier.add(line);
    return verifier;
  };
  const problemsOf = (lines: readonly Line[]) => verifierOf(lines).finish().problems.join("\n");
  const methodsOf = (lines: readonly Line[]) =>
    lines
      .filter((line): line is EntryLine => line.kind === "entry")
      .map(({ method }) => method.split("/")[1] ?? method);

  /** Changes the store of a stopped server, as someone without its keys can. */
  const sabotage = async (work: (tx: Transaction) => Promise<unknown>) => {
    await world.server.terminate();
    const { store } = await DirectStore.open(world.server);
    await store.write(work);
    await store.close();
    await world.server.restart();
  };

  const cutTo = async (tx: Transaction, entry: number) => {
    await tx.run("DELETE FROM audit WHERE id > ?", entry);
    await tx.run("DELETE FROM audit_checkpoints WHERE last_entry > ?", entry);
    await tx.run(
      "UPDATE installation SET value = ? WHERE name = 'audit-checkpoints'",
      String(entry),
    );
  };

  /** An organization with a deletion in its log after a checkpoint. */
  const crime = async () => {
    const org = await world.organization();
    const group = await world.group(org);
    const before = await exported(org);
    const { store } = await DirectStore.open(world.server);
    const row = await store.reader.get<{ entry: number }>(
      "SELECT max(last_entry) AS entry FROM audit_checkpoints",
    );
    const seals = await store.reader.all<Sealed>(
      `SELECT owner, name, sealed FROM secrets WHERE ${SEALS}`,
    );
    await store.close();
    await world.operator().groups.delete(group);
    const after = await exported(org);
    assert.ok(methodsOf(after).includes("DeleteGroup"));
    assert.equal(problemsOf(after), "");
    return { org, entry: Number(row?.entry), seals, before, after };
  };

  /** The log of an organization after more changes. */
  const exportLater = async (org: string) => {
    await world.group(org);
    const later = await exported(org);
    assert.ok(!methodsOf(later).includes("DeleteGroup"));
    return later;
  };

  test("does not verify", async () => {
    const { org, entry } = await crime();
    await sabotage((tx) => cutTo(tx, entry));
    assert.match(problemsOf(await exportLater(org)), /checkpoints were removed/);
    assert.match(problemsOf(await exported("")), /checkpoints were removed/);
  });

  test("does not verify without its seal, or with a forged one", async () => {
    const removed = await crime();
    await sabotage(async (tx) => {
      await cutTo(tx, removed.entry);
      await tx.run("DELETE FROM secrets WHERE name = ?", removed.org);
    });
    assert.match(problemsOf(await exportLater(removed.org)), /checkpoints were removed/);
    const forged = await crime();
    await sabotage(async (tx) => {
      await cutTo(tx, forged.entry);
      const other = "(SELECT sealed FROM secrets WHERE owner = 'audit-checkpoints' AND name = ?)";
      await tx.run(`UPDATE secrets SET sealed = ${other} WHERE name = ?`, removed.org, forged.org);
    });
    assert.match(problemsOf(await exportLater(forged.org)), /checkpoints were removed/);
  });

  test("does not verify if all seals were removed", async () => {
    const { org, entry } = await crime();
    await sabotage(async (tx) => {
      await cutTo(tx, entry);
      await tx.run(`DELETE FROM secrets WHERE ${SEALS}`);
    });
    assert.match(problemsOf(await exportLater(org)), /checkpoints were removed/);
  });

  test("is found by comparing with an older export, even with the seals of then", async () => {
    const { org, entry, seals, before, after } = await crime();
    await sabotage(async (tx) => {
      await cutTo(tx, entry);
      await tx.run(`DELETE FROM secrets WHERE ${SEALS}`);
      for (const { owner, name, sealed } of seals) {
        await tx.run(
          "INSERT INTO secrets (owner, name, sealed) VALUES (?, ?, ?)",
          ...[owner, name, sealed],
        );
      }
    });
    const later = await exportLater(org);
    assert.equal(problemsOf(later), "", "a copy of everything looks intact");
    const compared = verifierOf(later);
    compared.compareWith(verifierOf(after));
    assert.match(compared.finish().problems.join("\n"), /older export .* cut back/);
    const intact = verifierOf(later);
    assert.ok(intact.compareWith(verifierOf(before)) > 0);
    assert.deepEqual(intact.finish().problems, []);
    assert.throws(() => verifierOf(before).compareWith(verifierOf(later)), /newer/);
  });

  test("is no store that was restarted, or whose organization is new", async () => {
    const org = await world.organization();
    await exported(org);
    await world.server.terminate();
    await world.server.restart();
    await world.group(org);
    const lines = await exported(org);
    const begins = lines.filter(
      (line): line is EntryLine => line.kind === "entry" && line.integrity?.sequence === "1",
    );
    assert.equal(begins.length, 2, "a chain for each process");
    const checkpoints = lines.filter((line) => line.kind === "checkpoint");
    const names = checkpoints.map(({ signed }, at) => `${at + 1}:${checkpointHash(signed)}`);
    assert.equal(begins[0]?.integrity?.previousHash, "");
    assert.ok(names.includes(begins[1]?.integrity?.previousHash ?? ""), "it names a checkpoint");
  });
});
