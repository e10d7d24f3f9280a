/** Calls every method of exposure with success. */
import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DecisionReviewState,
  FindingStatus,
  VulnerabilitySourceKind,
  VulnerabilitySourceState,
  type Wharf,
} from "@wharf/client";
import {
  CVE,
  GHSA,
  type Images,
  NAME,
} from "../../../server/test/support/exposure/pushed-images.ts";
import { spdxOf } from "../../../server/test/support/world/image-world.ts";

const DAY_MS = 24 * 3_600_000;
const GRYPE = { matches: [], descriptor: { name: "grype", version: "0.93.0" } };

/** `reviewer`: a client of somebody else, who may approve what the first one decides. */
export async function callExposure(wharf: Wharf, reviewer: Wharf, images: Images): Promise<void> {
  await findings(wharf, images);
  await inventory(wharf, images);
  await scanReports(wharf, images);
  await decisions(wharf, reviewer, images);
  await sources(wharf, images);
  await advisories(wharf);
}

async function findings({ findings: api }: Wharf, { organization, repo, affected }: Images) {
  const { findings: found } = await api.list({ repoUid: repo, tag: "1.0" });
  assert.deepEqual(
    found.map(({ vulnerability, digest }) => [vulnerability, digest]),
    [[CVE, affected]],
  );
  const uidp = { descendantsOf: organization };
  const { vulnerabilities } = await api.listFoundVulnerabilities({ uidp });
  assert.deepEqual(vulnerabilities[0]?.aliases, [GHSA]);
  assert.equal((await api.listFixes({ uidp })).fixes[0]?.version, "1.3.1");
  const { tags } = await api.listFixedTags({ repoUid: repo, vulnerability: CVE });
  assert.deepEqual(
    tags.map(({ tag }) => tag),
    ["1.0", "1.1"],
  );
  const { images: counted } = await api.count({ repoUid: repo, digests: [affected] });
  assert.equal(counted[0]?.severities[0]?.open, 1n);
  assert.equal((await api.getExposure({ uidp })).imagesAffected, 1n);
  const difference = await api.diffImages({ fromRepoUid: repo, from: "1.0", to: "1.1" });
  assert.equal(difference.changedPackages[0]?.name, "left-pad");
}

async function inventory(
  { inventory: api }: Wharf,
  { repo: repoUid, affected: digest, settled }: Images,
) {
  const { packages } = await api.listImagePackages({ repoUid, digest });
  assert.equal(packages.length, 2);
  const { platforms } = await api.getImage({ repoUid, digest });
  assert.equal(platforms[0]?.format, "SPDX-2.3");
  assert.equal((await api.listTaggedImages({ inUse: true })).totalCount, 2n);
  const { images } = await api.listPackageImages({ package: "left-pad" });
  assert.deepEqual(new Set(images.map(({ repoPath }) => repoPath)), new Set([NAME]));
  assert.ok((await api.searchExposure({ query: "left-pad" })).$typeName);
  const sbom = await api.getSbomDocument({ repoUid, digest });
  assert.equal(JSON.parse(Buffer.from(sbom.content).toString()).spdxVersion, "SPDX-2.3");
  const content = Buffer.from(spdxOf(packages.map(({ purl }) => purl)));
  await api.uploadImageDocument({ repoUid, digest, content: Uint8Array.from(content) });
  await api.reindexImage({ repoUid, digest });
  await settled();
}

async function scanReports({ scanReports: api }: Wharf, { repo, affected }: Images) {
  const image = { repoUid: repo, digest: affected };
  const scan = { ...image, scanner: "grype" };
  const content = Uint8Array.from(Buffer.from(JSON.stringify(GRYPE)));
  await api.upload({ ...image, content });
  assert.equal((await api.list(image)).reports[0]?.scannerVersion, "0.93.0");
  assert.deepEqual((await api.get(scan)).content, content);
  assert.equal((await api.compare(scan)).serviceOnly.length, 1);
}

async function decisions({ decisions: api }: Wharf, reviewer: Wharf, { repo, settled }: Images) {
  const decision = { vulnerability: CVE, status: FindingStatus.FIXED };
  const { uid } = await api.create({ parent: repo, decision });
  await api.update({ decision: { uid, reason: "patched" }, updateMask: ["reason"] });
  const state = DecisionReviewState.APPROVED;
  await reviewer.decisions.review({ uid, state });
  const { reviewState, reason } = await api.get({ uid });
  assert.deepEqual([reviewState, reason], [state, "patched"]);
  assert.equal((await api.list({ uidp: { childrenOf: repo } })).decisions.length, 1);
  await api.delete({ uid });
  await settled();
}

async function sources({ vulnerabilitySources: api }: Wharf, { organization }: Images) {
  const kind = VulnerabilitySourceKind.OSV;
  const vulnerabilitySource = { name: "npm", kind, ecosystems: ["npm"], paused: true };
  const { uid } = await api.create({ parent: organization, vulnerabilitySource });
  await api.update({ vulnerabilitySource: { uid, name: "npm packages" } });
  await api.run({ uid });
  const { name, status } = await api.get({ uid });
  assert.deepEqual([name, status?.state], ["npm packages", VulnerabilitySourceState.PAUSED]);
  const list = await api.list({ uidp: { childrenOf: organization } });
  assert.equal(list.vulnerabilitySources.length, 1);
  await api.delete({ uid });
}

async function advisories({ securityAdvisory: api }: Wharf) {
  const { documents } = await api.listDocuments({ id: "left-pad" });
  assert.ok(documents[0]?.advisories[0]?.aliases.includes(CVE));
  const { vulnerabilityMetadata } = await api.listVulnerabilityMetadata({ ids: [CVE] });
  assert.equal(vulnerabilityMetadata[0]?.id, CVE);
  const [startTime, endTime] = [timestampFromMs(Date.now() - DAY_MS), timestampFromMs(Date.now())];
  const { resolvedVulnsReports } = await api.listResolvedVulnsReports({ startTime, endTime });
  // REST cannot name the tags in a query.
  assert.deepEqual(resolvedVulnsReports, []);
}
