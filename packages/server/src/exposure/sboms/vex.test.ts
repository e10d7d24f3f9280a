import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  grypeNames,
  statusFor,
  trivyNames,
  type VexProduct as WrittenProduct,
} from "../../../../advisories/test/vex-matcher.ts";
import { chunksOf, readVex } from "../../../test/support/exposure/documents.ts";
import { runs } from "../../../test/support/oracle/runs.ts";
import { type ImageReference, imageNames, packageNames } from "./image-names.ts";
import { statementApplies, VexStatements } from "./vex.ts";
import type { VexStatement } from "./vex-statement.ts";

const HEX = "ab".repeat(32);
const IMAGE: ImageReference = {
  repositories: ["registry.example.com/team/app"],
  digests: [`sha256:${HEX}`, `sha256:${"cd".repeat(32)}`],
  tags: ["v1", "latest"],
  architecture: "amd64",
};
const PURL = "pkg:apk/wolfi/openssl@3.5.0-r1?arch=x86_64&distro=wolfi";

interface Written {
  readonly products: readonly unknown[];
  readonly status?: string;
  readonly timestamp?: string;
  readonly name?: string;
}

async function openVex(
  statements: readonly Written[],
  more: object = {},
): Promise<readonly VexStatement[]> {
  const document = {
    "@context": "https://openvex.dev/ns/v0.2.0",
    author: "Acme",
    statements: statements.map(({ name = "CVE-2026-0001", status = "not_affected", ...rest }) => ({
      vulnerability: { name },
      status,
      ...rest,
    })),
    ...more,
  };
  return (await readVex(chunksOf(document))).statements;
}

async function applies(product: unknown, image = IMAGE, purl = PURL): Promise<boolean> {
  const [statement] = await openVex([{ products: [product] }]);
  return (
    statement !== undefined && statementApplies(statement, imageNames(image), packageNames(purl))
  );
}

test("finds an image by every name that scanners ask with", async () => {
  const encoded = `sha256%3A${HEX}`;
  for (const name of [
    "registry.example.com/team/app:v1",
    "registry.example.com/team/app:latest",
    `registry.example.com/team/app@sha256:${HEX}`,
    `sha256:${HEX}`,
    HEX,
    "pkg:oci/app",
    "pkg:oci/app?tag=v1",
    "pkg:oci/app?tag=latest&repository_url=registry.example.com/team",
    `pkg:oci/app@${encoded}`,
    `pkg:oci/app@sha256:${HEX}?repository_url=registry.example.com/team`,
    `pkg:oci/app@${encoded}?repository_url=registry.example.com%2Fteam%2Fapp&arch=amd64`,
  ]) {
    for (const product of [{ "@id": name }, { identifiers: { purl: name } }, name]) {
      assert.equal(await applies(product), true, name);
    }
  }
  assert.equal(await applies({ hashes: { "sha-256": HEX.toUpperCase() } }), true);
});

test("does not find another image", async () => {
  for (const name of [
    "registry.example.com/team/app:v2",
    "registry.example.com/team/app",
    `pkg:oci/app@sha256:${"ef".repeat(32)}`,
    "pkg:oci/app?tag=v2",
    "pkg:oci/app?repository_url=other.example.com/team",
    "pkg:oci/app?arch=arm64",
    "pkg:oci/app?mediatype=x",
    "pkg:oci/other",
    "pkg:docker/app",
    "",
  ]) {
    assert.equal(await applies({ "@id": name }), false, name);
  }
  assert.equal(await applies({ hashes: { "sha-256": "ef".repeat(32) } }), false);
});

test("knows both names of Docker Hub", async () => {
  for (const [host, other] of [
    ["docker.io", "index.docker.io"],
    ["index.docker.io", "docker.io"],
  ]) {
    const image = { ...IMAGE, repositories: [`${host}/library/nginx`] };
    for (const one of [host, other]) {
      assert.equal(await applies(`${one}/library/nginx:v1`, image), true);
      assert.equal(await applies(`pkg:oci/nginx?repository_url=${one}/library`, image), true);
    }
  }
});

test("finds a package by what the document names of it", async () => {
  for (const purl of [PURL, "pkg:apk/wolfi/openssl", "pkg:apk/wolfi/openssl?distro=wolfi"]) {
    assert.equal(await applies(purl), true, purl);
    assert.equal(
      await applies({ "@id": "pkg:oci/app", subcomponents: [{ "@id": purl }] }),
      true,
      purl,
    );
  }
  for (const purl of [
    ...["pkg:apk/wolfi/openssl@3.5.0-r2", "pkg:apk/wolfi/openssl?arch=aarch64", "pkg:apk/openssl"],
    ...["pkg:apk/alpine/openssl", "pkg:deb/wolfi/openssl", "pkg:apk/wolfi/openssl?epoch=1"],
  ]) {
    assert.equal(await applies(purl), false, purl);
    assert.equal(
      await applies({ "@id": "pkg:oci/app", subcomponents: [{ "@id": purl }] }),
      false,
      purl,
    );
  }
});

test("narrows a product to its subcomponents, even if these cannot be read", async () => {
  const product = { "@id": "pkg:oci/app" };
  assert.equal(await applies({ ...product, subcomponents: [] }), true);
  for (const subcomponents of [[{}], [7], "pkg:apk/wolfi/openssl", {}]) {
    assert.equal(await applies({ ...product, subcomponents }), false);
  }
  // The package as the product, with something in it, says nothing about the package.
  assert.equal(await applies({ "@id": PURL, subcomponents: [{ "@id": "pkg:npm/a" }] }), false);
  assert.equal(await applies({ "@id": "pkg:oci/other", subcomponents: [{ "@id": PURL }] }), false);
});

test("lets the last statement decide, by its own time or that of the document", async () => {
  const products = [{ "@id": PURL }];
  const decided = async (written: readonly Written[], more?: object) => {
    const statements = new VexStatements(await openVex(written, more));
    const one = statements.deciding(["CVE-2026-0001"], imageNames(IMAGE), packageNames(PURL));
    return one?.status;
  };
  const early = { products, status: "not_affected", timestamp: "2026-01-01T00:00:00Z" };
  const late = { products, status: "affected", timestamp: "2026-02-01T00:00:00+01:00" };
  assert.equal(await decided([late, early]), "affected");
  assert.equal(await decided([early, late]), "affected");
  assert.equal(await decided([late, { ...early, timestamp: late.timestamp }]), "not_affected");
  const untimed = { products, status: "under_investigation" };
  assert.equal(await decided([untimed, early]), "not_affected");
  assert.equal(
    await decided([untimed, early], { timestamp: "2026-03-01T00:00:00Z" }),
    "under_investigation",
  );
  assert.equal(await decided([{ ...early, name: "CVE-2026-0002" }]), undefined);
  assert.equal(await decided([{ ...early, products: [{ "@id": "pkg:npm/a" }] }]), undefined);
});

const purls = fc.constantFrom(
  ...[PURL, "pkg:apk/wolfi/openssl", "pkg:apk/wolfi/openssl@3.5.0-r1", "pkg:apk/wolfi/openssl@1"],
  ...["pkg:apk/wolfi/zlib@1?arch=x86_64", "pkg:apk/wolfi/openssl?arch=aarch64", "pkg:npm/%40a/b"],
  ...[
    "pkg:oci/app",
    `pkg:oci/app@sha256%3A${HEX}`,
    "pkg:oci/app?arch=amd64",
    "pkg:oci/app@sha256:0",
  ],
  ...["pkg:oci/app?repository_url=registry.example.com/team", "pkg:oci/app?repository_url=other"],
  `registry.example.com/team/app@sha256:${HEX}`,
);
const named = purls.map((id) => ({ "@id": id }));
const product = fc.record({ "@id": purls, subcomponents: fc.array(named, { maxLength: 2 }) });

test("decides as an independent reading of go-vex's rules does", async () => {
  const [digest = ""] = IMAGE.digests;
  const image = { ...IMAGE, digests: [digest] };
  const scanned = { repository: IMAGE.repositories[0] as string, digest, arch: "amd64" };
  const names = [...trivyNames(scanned), ...grypeNames(scanned)];
  const property = fc.asyncProperty(
    fc.array(product, { minLength: 1, maxLength: 3 }),
    purls,
    async (products, purl) => {
      const vulnerability = "CVE-2026-0001";
      const asks = (
        named: readonly string[],
        subcomponent: string,
        of: readonly WrittenProduct[],
      ) =>
        statusFor([{ vulnerability: { name: vulnerability }, products: of, status: "fixed" }], {
          vulnerability,
          product: named,
          subcomponent,
        });
      const whole = products.filter(({ subcomponents }) => subcomponents.length === 0);
      const expected = asks(names, purl, products) ?? asks([purl], "", whole);
      const [statement] = await openVex([{ products }]);
      assert.ok(statement !== undefined);
      const found = statementApplies(statement, imageNames(image), packageNames(purl));
      assert.equal(found, expected !== undefined);
    },
  );
  await fc.assert(property, { numRuns: runs(500, 20_000) });
});
