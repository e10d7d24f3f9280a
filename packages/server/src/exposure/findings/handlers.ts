import type { DescMethod } from "@bufbuild/protobuf";
import { FindingsService } from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { Handler } from "../../rpc/call.ts";
import { diffImages } from "./diff-images.ts";
import { listFindings } from "./list-findings.ts";
import { listFixedTags } from "./list-fixed-tags.ts";
import { listFixes } from "./list-fixes.ts";
import { listVulnerabilities } from "./list-vulnerabilities.ts";
import { getExposure } from "./overview.ts";

/** The handlers of FindingsService. */
export function findingsHandlers(deps: ListDeps): (readonly [DescMethod, Handler])[] {
  const { method } = FindingsService;
  return [
    [method.listFindings, listFindings(deps)],
    [method.listFoundVulnerabilities, listVulnerabilities(deps)],
    [method.listFixes, listFixes(deps)],
    [method.listFixedTags, listFixedTags(deps)],
    [method.getExposure, getExposure(deps)],
    [method.diffImages, diffImages(deps)],
  ];
}
