import { tmpdir } from "node:os";
import type { Settings } from "../../config/settings.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import { validate } from "../../rpc/validate.ts";
import type { Api } from "../../wire/api.ts";
import { type AdvisoryDeps, advisoryMethods } from "./advisories.ts";
import { apkMethods } from "./apks.ts";
import { argosMethods } from "./argos.ts";
import { dumpMethod } from "./argos-dump.ts";
import { type ChartDeps, chartMethods } from "./charts.ts";
import { manifestMetadataMethods } from "./manifest-metadata.ts";
import { type SbomDeps, sbomMethods } from "./sboms.ts";
import { vulnCountMethods } from "./vuln-counts.ts";
import { vulnReportMethods } from "./vuln-report.ts";
import { vulnReportListMethods } from "./vuln-reports.ts";

export interface ContractDeps extends SbomDeps, ChartDeps, AdvisoryDeps, WriteDeps {
  readonly settings: Settings;
}

/** Registers the methods of the public contract about packages, vulnerabilities and charts. */
export function registerContract(api: Api, deps: ContractDeps): void {
  const { data, databaseUrl } = deps.settings;
  // Servers on PostgreSQL need no data directory.
  const folder = databaseUrl === "" ? data : tmpdir();
  const methods = [
    ...sbomMethods(deps),
    ...manifestMetadataMethods(deps.store),
    ...vulnReportMethods(deps.store),
    ...vulnReportListMethods(deps),
    ...vulnCountMethods(deps),
    ...advisoryMethods(deps),
    ...argosMethods(deps),
    dumpMethod({ ...deps, folder }),
    ...apkMethods(deps),
    ...chartMethods(deps),
  ];
  // Their requests have nested messages without a method of version 2 that would validate them.
  api.handlers.bindAll(
    methods.map(([method, handler]) => [
      method,
      (call, request) => {
        validate(method.input, request);
        return handler(call, request);
      },
    ]),
  );
}
