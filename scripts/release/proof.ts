import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { provenance } from "./provenance.ts";
import type { Signer } from "./signing.ts";

/** The SHA-256 digests of the files of a folder, by name. */
export function digestsOf(folder: string): [name: string, digest: string][] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const content = readFileSync(join(folder, name));
      return [name, createHash("sha256").update(content).digest("hex")];
    });
}

/** Writes the provenance of the files of a release, and with a key the signatures of it and of SHA256SUMS. */
export function writeProof(
  folder: string,
  { version, signer }: { version: string; signer: Signer | undefined },
): void {
  const subjects = digestsOf(folder).map(([name, sha256]) => ({ name, digest: { sha256 } }));
  const built = provenance({ command: "npm run package", subjects });
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(folder, name), content);
  const name = `wharf-${version}.provenance`;
  if (signer === undefined) {
    write(`${name}.json`, JSON.stringify(built));
    return;
  }
  const sums = readFileSync(join(folder, "SHA256SUMS"));
  const signature = signer.sign(sums);
  write("SHA256SUMS.sig", signature);
  write("SHA256SUMS.sigstore.json", JSON.stringify(signer.fileBundle(sums, signature)));
  write(`${name}.sigstore.json`, JSON.stringify(signer.statementBundle(built)));
  write("wharf.pub", signer.publicKey);
}
