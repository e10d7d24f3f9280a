/**
 * RSA keys of issuers: generating one takes longer than most tests. So those of stopped issuers are used again, and all
 * processes and runs use the same ones.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  exportPKCS8,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  importPKCS8,
  importSPKI,
} from "jose";

/** Minimum number of idle keys: a key that a test has just returned is not the next one that it gets. */
const RESTING = 2;

const FOLDER = join(import.meta.dirname, "../../../../../node_modules/.cache/tests/rsa-keys");

const ALGORITHM = "RS256";

const free = new Set<GenerateKeyPairResult>();

let taken = 0;

/** A key for RS256 that no running issuer of this process has. */
export async function takeRsaKey(): Promise<GenerateKeyPairResult> {
  const [oldest] = free;
  if (oldest === undefined || free.size <= RESTING) return keptKey(`${taken++}.json`);
  free.delete(oldest);
  return oldest;
}

export function returnRsaKey(key: GenerateKeyPairResult): void {
  free.add(key);
}

/** The key in a file, which the first process that needs it writes. */
async function keptKey(name: string): Promise<GenerateKeyPairResult> {
  const file = join(FOLDER, name);
  const kept = readKept(file);
  if (kept !== undefined) {
    const [privateKey, publicKey] = await Promise.all([
      importPKCS8(kept.privateKey, ALGORITHM, { extractable: true }),
      importSPKI(kept.publicKey, ALGORITHM, { extractable: true }),
    ]);
    return { privateKey, publicKey };
  }
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const text = JSON.stringify({
    privateKey: await exportPKCS8(pair.privateKey),
    publicKey: await exportSPKI(pair.publicKey),
  });
  mkdirSync(FOLDER, { recursive: true });
  // Others read it as a whole or not at all.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, text, { mode: 0o600 });
  renameSync(own, file);
  return pair;
}

function readKept(file: string): { privateKey: string; publicKey: string } | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
