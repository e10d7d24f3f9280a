import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  ListPackagesRequestSchema,
  type Package,
  PackagesService,
  type PackageVersion,
} from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import { type AdaptedMethod, type Invoke, respondWith } from "../adapter.ts";

const { getPackageVersionMetadata } = registryV1.Registry.method;

/** The version 1 method of packages: one by its name, with the versions at their end of life apart. */
export function packageVersionMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    respondWith(getPackageVersionMetadata, {}, async ({ package: name }, call) => {
      if (name === "")
        throw invalidArgument({ field: "package", description: "package is required" });
      const request = create(ListPackagesRequestSchema, { name, pageSize: 1 });
      const { packages } = await invoke(call, PackagesService.method.listPackages, request);
      const [found] = packages;
      if (found === undefined) throw notFound("Package", name);
      return metadataV1(found, call.time);
    }),
  ];
}

function metadataV1(found: Package, now: number) {
  const today = new Date(now).toISOString().slice(0, 10);
  const isOver = ({ eolDate }: PackageVersion) => eolDate !== "" && eolDate <= today;
  const { versions, latestVersion, gracePeriodMonths, updateTime } = found;
  const updated = updateTime ? new Date(timestampMs(updateTime)).toISOString() : "";
  return {
    eolVersions: versions.filter(isOver).map(versionV1),
    versions: versions.filter((version) => !isOver(version)).map(versionV1),
    lastUpdatedTimestamp: updated,
    latestVersion,
    gracePeriodMonths,
  };
}

function versionV1({ $typeName: _, versionSource, lts, ...same }: PackageVersion) {
  return {
    ...same,
    lts,
    legacyLts: lts ? "true" : "",
    ...(versionSource && { versionSource: { ref: versionSource.ref, sha: versionSource.sha } }),
  };
}
