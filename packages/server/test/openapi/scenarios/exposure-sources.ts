import { importRecords } from "../../support/exposure/osv-client.ts";
import { osvRecord } from "../../support/exposure/source-server.ts";
import type { Recorder } from "../recorder.ts";

/** Sources of vulnerability data, and queries of OSV. */
export async function exposureSources(record: Recorder): Promise<void> {
  const { world } = record;
  const acme = await world.organization("acme");
  const method = (name: string) => `VulnerabilitySourcesService_${name}`;
  const { uid: path } = await record.body(method("CreateVulnerabilitySource"), {
    path: acme,
    // Paused: examples read nothing from the Internet.
    body: {
      name: "npm",
      kind: "VULNERABILITY_SOURCE_KIND_OSV",
      ecosystems: ["npm"],
      interval: "3600s",
      paused: true,
    },
  });
  await record.call(method("GetVulnerabilitySource"), { path });
  await record.call(method("ListVulnerabilitySources"), { query: { "uidp.children_of": acme } });
  await record.call(method("UpdateVulnerabilitySource"), { path, body: { name: "npm packages" } });
  await record.call(method("RunVulnerabilitySource"), { path, body: {} });
  await record.call(method("DeleteVulnerabilitySource"), { path });
  const modified = new Date().toISOString();
  const leftPad = osvRecord("GHSA-2222-3333-4444", "npm", "left-pad", { modified });
  await importRecords(world, acme, leftPad);
  const query = { package: { name: "left-pad", ecosystem: "npm" }, version: "1.1.0" };
  await record.call("osvQuery", { body: query });
  await record.call("osvQueryBatch", { body: { queries: [query] } });
  await record.call("osvGetVulnerability", { path: "GHSA-2222-3333-4444" });
}
