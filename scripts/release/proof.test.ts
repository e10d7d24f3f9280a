import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  signingKey,
  verifiedStatement,
  verifyBundle,
} from "../../packages/cli/test/support/sigstore.ts";
import { StepError } from "../step.ts";
import { writeProof } from "./proof.ts";
import { provenance } from "./provenance.ts";
import { Signer } from "./signing.ts";

/** The files that a release of one file has afterwards, by name. */
function proofWith(signer: Signer | undefined): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "wharf-proof-"));
  try {
    writeFileSync(join(folder, "a"), "a\n");
    writeFileSync(join(folder, "SHA256SUMS"), "87428fc5…  a\n");
    writeProof(folder, { version: "1.0.0", signer });
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PROVENANCE = "wharf-1.0.0.provenance";

test("a release without a key has provenance and no signatures", () => {
  const files = proofWith(Signer.from({}));
  assert.deepEqual([...files.keys()].sort(), ["SHA256SUMS", "a", `${PROVENANCE}.json`]);
  const { subject } = JSON.parse(String(files.get(`${PROVENANCE}.json`)));
  const sha256 = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7";
  assert.deepEqual(subject[1], { name: "a", digest: { sha256 } });
});

test("a release with a key has bundles that only its public key verifies", () => {
  const { privateKey, publicKey } = signingKey();
  const files = proofWith(Signer.from({ WHARF_SIGNING_KEY: privateKey }));
  assert.equal(String(files.get("wharf.pub")), publicKey);
  const sums = files.get("SHA256SUMS") as Buffer;
  const bundle = JSON.parse(String(files.get("SHA256SUMS.sigstore.json")));
  verifyBundle(bundle, publicKey, sums);
  assert.throws(() => verifyBundle(bundle, publicKey, Buffer.from("changed")));
  assert.throws(() => verifyBundle(bundle, signingKey().publicKey, sums));

  const signed = JSON.parse(String(files.get(`${PROVENANCE}.sigstore.json`)));
  const { subject, ...other } = verifiedStatement(signed, publicKey);
  const names = subject.map(({ name }: { name: string }) => name);
  assert.deepEqual(names, ["SHA256SUMS", "a"]);
  signed.dsseEnvelope.payload = Buffer.from(JSON.stringify(other)).toString("base64");
  assert.throws(() => verifyBundle(signed, publicKey));
});

test("other keys than ECDSA P-256 are rejected", () => {
  for (const key of ["secret", signingKey("P-384").privateKey, signingKey().publicKey]) {
    assert.throws(() => Signer.from({ WHARF_SIGNING_KEY: key }), StepError);
  }
});

test("provenance names the commit, the builder and its run, as the environment does", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const build = { command: "npm run package", subjects: [] };
  const environment = {
    WHARF_COMMIT: `${commit}-dirty`,
    WHARF_BUILDER_ID: "https://ci.example.com/runner",
    WHARF_BUILD_ID: "https://ci.example.com/runs/7",
    WHARF_SOURCE_URL: "https://git.example.com/wharf",
  };
  const { predicate } = provenance(build, environment);
  assert.partialDeepStrictEqual(predicate, {
    buildDefinition: {
      externalParameters: { command: "npm run package" },
      resolvedDependencies: [
        {
          uri: "git+https://git.example.com/wharf",
          digest: { gitCommit: commit },
          annotations: { changed: true },
        },
      ],
    },
    runDetails: {
      builder: { id: "https://ci.example.com/runner" },
      metadata: { invocationId: "https://ci.example.com/runs/7" },
    },
  });
});
