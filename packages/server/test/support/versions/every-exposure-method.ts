/** Calls every method of exposure of the public contract with success. */
import assert from "node:assert/strict";
import * as v1 from "@wharf/contract/v1";
import { CHART, pushedChart } from "../exposure/pushed-chart.ts";
import { CVE, GHSA, NAME, pushedImages } from "../exposure/pushed-images.ts";
import type { World } from "../world/world.ts";
import type { Calls } from "./every-v1-method.ts";

/** The resources that the calls need. */
export interface ExposureGround {
  readonly org: string;
  /** An image with a known SBOM, a report of grype and a deployment. */
  readonly repoId: string;
  readonly digest: string;
  /** A Helm chart. */
  readonly chart: { readonly repoId: string; readonly digest: string };
}

const GRYPE = { matches: [], descriptor: { name: "grype", version: "0.93.0" } };

/** @example await callExposure(call, await exposureGround(world)); // a world with `registry` */
export async function exposureGround(world: World): Promise<ExposureGround> {
  const { images, organization, repo, affected: digest } = await pushedImages(world);
  const content = Buffer.from(JSON.stringify(GRYPE)).toString("base64");
  await world.operator().scanReports.uploadScanReport({ repoUid: repo, digest, content });
  const chart = await pushedChart(images, repo);
  return {
    ...{ org: organization, repoId: repo, digest },
    chart: { repoId: await images.repo(CHART), digest: chart },
  };
}

export async function callExposure(call: Calls, ground: ExposureGround): Promise<void> {
  await images(call, ground);
  await charts(call, ground);
  await reports(call, ground);
  await advisories(call);
  await records(call, ground.org);
  const uidp = { descendantsOf: ground.org };
  for (const method of ["ListAPKs", "ListAPKSummaries"])
    assert.equal((await call(v1.apkV1.APK, method, { uidp })).items.length, 1);
}

async function images(call: Calls, { org, repoId, digest }: ExposureGround): Promise<void> {
  const { Registry } = v1.registryV1;
  const image = { repoId, digest };
  assert.equal((await call(Registry, "GetSbom", image)).source, "INGESTED");
  const { rawSbom } = await call(Registry, "GetRawSbom", image);
  assert.equal(JSON.parse(rawSbom).spdxVersion, "SPDX-2.3");
  const { vulnerabilityMatches } = await call(Registry, "GetVulnReport", image);
  assert.equal(vulnerabilityMatches[0].vulnerability.displayId, CVE);
  await call(Registry, "ListManifestMetadata", { repoId });
  assert.ok(Number((await call(Registry, "GetManifestDigestCount", { parentId: org })).count) > 0);
}

async function charts(call: Calls, { repoId, digest, chart }: ExposureGround): Promise<void> {
  const { Registry } = v1.registryV1;
  assert.equal((await call(Registry, "GetChart", { ...chart })).version, "1.2.3");
  assert.equal((await call(Registry, "GetHelm", { repoId, digest })).chartVersion, "1.2.3");
  const bound = await call(Registry, "ListChartsByImageRepo", { repoId });
  assert.equal(bound.chartImageBindings[0].chartRepo, chart.repoId);
  assert.deepEqual(
    await call(Registry, "ListChartImageBindings", { imageRepoIds: [repoId] }),
    bound,
  );
}

async function reports(call: Calls, { repoId, digest }: ExposureGround): Promise<void> {
  const { Vulnerabilities } = v1.vulnerabilitiesV1;
  const { items } = await call(Vulnerabilities, "ListVulnReports", { repoId, tag: "1.0" });
  assert.equal(items.length, 2);
  const raw = await call(Vulnerabilities, "GetRawVulnReport", { digest, scanner: "GRYPE" });
  assert.equal(raw.scanner.name, "GRYPE");
  const filter = { repo: NAME, tag: "1.0" };
  for (const method of ["ListVulnCountReports", "ListCumulativeVulnCountReports"])
    assert.deepEqual((await call(Vulnerabilities, method, filter)).items.at(-1).cveIds, [CVE]);
}

async function advisories(call: Calls): Promise<void> {
  const { SecurityAdvisory } = v1.advisoryV1;
  assert.equal((await call(SecurityAdvisory, "ListDocuments", { id: "left-pad" })).items.length, 1);
  const metadata = await call(SecurityAdvisory, "ListVulnerabilityMetadata", { ids: [CVE] });
  assert.equal(metadata.items[0].id, CVE);
  const range = { from: "2026-05-01T00:00:00Z", to: "2026-05-02T00:00:00Z" };
  await call(SecurityAdvisory, "ListResolvedVulnsReports", range);
}

async function records(call: Calls, parent: string): Promise<void> {
  const { ArgosOSV } = v1.argosOsvV1;
  const query = { package: { name: "left-pad", ecosystem: "npm" }, version: "1.3.0" };
  assert.equal((await call(ArgosOSV, "Query", query)).vulns[0].id, GHSA);
  const { results } = await call(ArgosOSV, "QueryBatch", { queries: [query] });
  assert.equal(results[0].vulns[0].id, GHSA);
  assert.deepEqual((await call(ArgosOSV, "GetVuln", { id: GHSA })).aliases, [CVE]);
  const { ArgosVulns } = v1.argosVulnsV1;
  assert.equal((await call(ArgosVulns, "ListForOrg", { parent })).vulns.length, 1);
  const some = await call(ArgosVulns, "BatchGet", { parent, cgpIds: [GHSA] });
  assert.equal(some.vulns.length, 1);
}
