import { CVE } from "../../support/exposure/pushed-images.ts";
import type { Recorder } from "../recorder.ts";
import { recordedImages } from "./exposure-images.ts";

const VEX = {
  "@context": "https://openvex.dev/ns/v0.2.0",
  "@id": "https://acme.example/vex/1",
  author: "Acme",
  timestamp: "2026-01-02T03:04:05Z",
  version: 1,
  statements: [
    {
      vulnerability: { name: CVE },
      products: [{ "@id": "pkg:oci/api" }],
      status: "not_affected",
      justification: "vulnerable_code_not_in_execute_path",
    },
  ],
};

/** Packages of images, and the vulnerabilities that affect them. */
export async function exposure(record: Recorder): Promise<void> {
  const { organization, repo, affected, settled } = await recordedImages(record);
  const findings = (method: string) => `FindingsService_${method}`;
  const inventory = (method: string) => `InventoryService_${method}`;
  const below = { "uidp.descendants_of": organization };
  await record.call(findings("ListFindings"), { query: { repo_uid: repo } });
  await record.call(findings("ListFoundVulnerabilities"), { query: below });
  await record.call(findings("ListFixes"), { query: below });
  await record.call(findings("ListFixedTags"), { path: repo, query: { vulnerability: CVE } });
  await record.call(findings("CountFindings"), { path: repo, query: { digests: affected } });
  await record.call(findings("GetExposure"), { query: { ...below, days: "1" } });
  await record.call(findings("DiffImages"), {
    query: { from_repo_uid: repo, from: "1.0", to: "1.1" },
  });
  const path = [repo, affected];
  await record.call(inventory("GetImageInventory"), { path });
  await record.call(inventory("ListImagePackages"), { path });
  await record.call(inventory("GetSbomDocument"), { path });
  await record.call(inventory("ListTaggedImages"), { query: below });
  await record.call(inventory("ListPackageImages"), {
    query: { package: "left-pad", ecosystem: "npm", version_range: "<1.3.1" },
  });
  await record.call(inventory("SearchExposure"), { query: { query: "left-pad" } });
  const content = Buffer.from(JSON.stringify(VEX)).toString("base64");
  await record.call(inventory("UploadImageDocument"), { path, body: { content } });
  await settled();
  await record.call(inventory("ReindexImage"), { path, body: {} });
}
