/** Blobs in the registry of a server that runs: those that images need, and garbage, with its files. */
import { hash } from "node:crypto";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Rows per transaction: the server waits for it. */
const BATCH_SIZE = 250;

const CONTENT = "garbage";

/** Older than any push that may still add its row. */
const FILE_AGE_S = 86_400;

export class RegistryGarbage implements Disposable {
  readonly #database: DatabaseSync;
  readonly #folder: string;
  #made = 0;

  constructor(data: string) {
    this.#database = new DatabaseSync(join(data, "wharf.db"), { timeout: 60_000 });
    this.#database.exec("PRAGMA synchronous = OFF");
    this.#folder = join(data, "registry", "blobs", "sha256");
  }

  /** Adds blobs that a manifest of a repo refers to. Nothing reads their files. */
  addUsed(repo: string, count: number): void {
    this.#add(count, (digest) => {
      this.#database.prepare("INSERT INTO blob_links VALUES (?, ?, 0)").run(repo, digest);
      const sql = "INSERT INTO manifest_references VALUES (?, 'sha256:used', ?)";
      this.#database.prepare(sql).run(repo, digest);
    });
  }

  /** Adds blobs that a repo has, whose leases have ended. */
  addGarbage(repo: string, count: number): void {
    const old = Date.now() / 1000 - FILE_AGE_S;
    this.#add(count, (digest) => {
      this.#database.prepare("INSERT INTO blob_links VALUES (?, ?, 0)").run(repo, digest);
      const hex = digest.slice("sha256:".length);
      const folder = join(this.#folder, hex.slice(0, 2));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, hex), CONTENT);
      utimesSync(join(folder, hex), old, old);
    });
  }

  #add(count: number, addRest: (digest: string) => void): void {
    const blob = this.#database.prepare(
      "INSERT INTO blobs (digest, size, created) VALUES (?, ?, 0)",
    );
    for (let added = 0; added < count; added += BATCH_SIZE) {
      this.#database.exec("BEGIN IMMEDIATE");
      for (let at = 0; at < Math.min(BATCH_SIZE, count - added); at++) {
        const digest = `sha256:${hash("sha256", `${this.#made++}`)}`;
        blob.run(digest, CONTENT.length);
        addRest(digest);
      }
      this.#database.exec("COMMIT");
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
