import type { Transaction } from "../../db/commit/transaction.ts";
import type { Reader } from "../../db/connection.ts";

/** The READMEs of repos, apart from the rows of repos: lists do not read up to a megabyte each. */

export async function readReadme(reader: Reader, repo: string): Promise<string> {
  const sql = "SELECT content FROM repo_readmes WHERE repo = ?";
  return (await reader.get<{ content: string }>(sql, repo))?.content ?? "";
}

/** The READMEs of several repos by uid, without repos that have none. */
export async function readReadmes(
  reader: Reader,
  repos: readonly string[],
): Promise<Map<string, string>> {
  if (repos.length === 0) return new Map();
  const marks = repos.map(() => "?").join(", ");
  const sql = `SELECT repo, content FROM repo_readmes WHERE repo IN (${marks})`;
  return new Map(await reader.arrays<readonly [string, string]>(sql, ...repos));
}

/** Replaces a README; an empty one is deleted. */
export async function writeReadme(tx: Transaction, repo: string, content: string): Promise<void> {
  if (content === "") return deleteReadme(tx, repo);
  await tx.run(
    `INSERT INTO repo_readmes (repo, content) VALUES (?, ?)
     ON CONFLICT (repo) DO UPDATE SET content = excluded.content`,
    repo,
    content,
  );
}

export async function deleteReadme(tx: Transaction, repo: string): Promise<void> {
  await tx.run("DELETE FROM repo_readmes WHERE repo = ?", repo);
}
