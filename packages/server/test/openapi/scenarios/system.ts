import type { Recorder } from "../recorder.ts";

/** Health, keys and descriptions of the server, the installation, and its audit log. */
export async function system(record: Recorder): Promise<void> {
  const anonymous = [
    ...["healthz", "readyz", "version", "metrics", "jwks", "auditKeys", "webhookKeys"],
    ...["openidConfiguration", "authorizationServerMetadata", "protectedResourceMetadata"],
    ...["PingService_Ping", "V1_PingService_Ping", "registryCertificates", "registryJwks"],
  ];
  for (const operation of anonymous) await record.call(operation, { token: "" });
  await record.call("InstallationService_GetInstallation");
  await record.call("InstallationService_GetInstallationStatus");
  await audit(record);
  await record.call("InstallationService_RotateSigningKeys", { body: {} });
  await record.call("InstallationService_ListSigningKeys");
}

async function audit(record: Recorder): Promise<void> {
  const acme = await record.world.organization("acme");
  const filter = { "filter.resource": acme, "filter.method": "CreateGroup" };
  const service = (method: string) => `AuditService_${method}`;
  const { entries } = await record.body(service("ListAuditEntries"), { query: filter });
  await record.call(service("GetAuditEntry"), { path: entries[0].uid });
  const hour = {
    "filter.since": new Date(Date.now() - 3_600_000).toISOString(),
    "filter.until": new Date().toISOString(),
  };
  await record.call(service("GetAuditEntryCounts"), {
    query: { ...filter, ...hour, intervals: "1" },
  });
  await record.call(service("ExportAuditEntries"), { query: filter });
  const { body } = await record.world.http.get("/audit/v2beta1/entries?page_size=1");
  const watching = record.call(service("WatchAuditEntries"), {
    query: { "filter.method": "CreateGroup", after: body.entries[0].uid },
  });
  await record.world.group(acme, "platform");
  await watching;
}
