import { CHART, pushedChart } from "../../support/exposure/pushed-chart.ts";
import { CVE, GHSA, type Images, NAME } from "../../support/exposure/pushed-images.ts";
import type { Recorder } from "../recorder.ts";
import { recordedImages } from "./exposure-images.ts";

/** Exposure under the names of the public contract. */
export async function exposureContract(record: Recorder): Promise<void> {
  const ground = await recordedImages(record);
  await advisories(record, ground);
  await osv(record, ground);
  await reports(record, ground);
  await charts(record, ground);
}

async function advisories(record: Recorder, { organization }: Images): Promise<void> {
  for (const service of ["V1_SecurityAdvisory", "SecurityAdvisoryService"]) {
    await record.call(`${service}_ListDocuments`, { query: { id: "left-pad" } });
    await record.call(`${service}_ListVulnerabilityMetadata`, { query: { ids: CVE } });
  }
  // A query has no messages, which name the tags: clients use these over gRPC.
  const [from, to] = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"];
  const method = "SecurityAdvisory_ListResolvedVulnsReports";
  await record.call(`V1_${method}`, { query: { from, to } });
  await record.call(method.replace("_", "Service_"), { query: { start_time: from, end_time: to } });
  const query = { "uidp.descendants_of": organization };
  await record.call("V1_APK_ListAPKs", { query });
  await record.call("V1_APK_ListAPKSummaries", { query });
}

async function osv(record: Recorder, { organization: path }: Images): Promise<void> {
  const query = { package: { name: "left-pad", ecosystem: "npm" }, version: "1.3.0" };
  await record.call("V1_ArgosOSV_Query", { body: query });
  await record.call("V1_ArgosOSV_QueryBatch", { body: { queries: [query] } });
  await record.call("V1_ArgosOSV_GetVuln", { path: GHSA });
  await record.call("V1_ArgosOSV_Dump");
  await record.call("V1_ArgosVulns_ListForOrg", { path });
  await record.call("V1_ArgosVulns_BatchGet", { path, body: { cgpIds: [GHSA] } });
}

async function reports(record: Recorder, ground: Images): Promise<void> {
  const { organization, repo, affected: digest } = ground;
  const registry = (method: string) => `V1_Registry_${method}`;
  const path = [repo, digest];
  for (const method of ["GetSbom", "GetRawSbom", "GetVulnReport"])
    await record.call(registry(method), { path });
  await record.call(registry("ListManifestMetadata"), { path: repo });
  await record.call(registry("GetManifestDigestCount"), { path: organization });
  await record.call("V1_Vulnerabilities_ListVulnReports", { query: { digest } });
  for (const method of ["ListVulnCountReports", "ListCumulativeVulnCountReports"])
    await record.call(`V1_Vulnerabilities_${method}`, { query: { repo: NAME, tag: "1.0" } });
}

/** A chart in the registry, which the deployment of the images names. */
async function charts(record: Recorder, { images, repo, affected }: Images): Promise<void> {
  const registry = (method: string) => `V1_Registry_${method}`;
  const digest = await pushedChart(images, repo);
  await record.call(registry("GetChart"), { path: [await images.repo(CHART), digest] });
  await record.call(registry("GetHelm"), { path: [repo, affected] });
  await record.call(registry("ListChartsByImageRepo"), { path: repo });
  await record.call(registry("ListChartImageBindings"), { query: { image_repo_ids: repo } });
}
