/** RSA keys of issuers: generating one takes longer than most tests, so those of stopped issuers are used again. */
import { type GenerateKeyPairResult, generateKeyPair } from "jose";

/** Keys that rest at least: one that a test has just given back is not the next one that it gets. */
const RESTING = 2;

const free = new Set<GenerateKeyPairResult>();

/** A key for RS256 that no running issuer of this process has. */
export async function takeRsaKey(): Promise<GenerateKeyPairResult> {
  const [oldest] = free;
  if (oldest === undefined || free.size <= RESTING)
    return generateKeyPair("RS256", { extractable: true });
  free.delete(oldest);
  return oldest;
}

export function returnRsaKey(key: GenerateKeyPairResult): void {
  free.add(key);
}
