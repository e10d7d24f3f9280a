import type { DescMethod } from "@bufbuild/protobuf";
import { FindingsService, InventoryService } from "@wharf/contract";
import type { ListDeps } from "../engine/list/lists.ts";
import type { WriteDeps } from "../engine/write/mutation.ts";
import type { Handler } from "../rpc/call.ts";
import { getImageInventory } from "./documents/image-inventory.ts";
import { listTaggedImages } from "./documents/list-tagged-images.ts";
import { reindexImage } from "./documents/reindex-image.ts";
import { getSbomDocument } from "./documents/sbom-document.ts";
import { uploadDocument } from "./documents/upload-document.ts";
import { countFindings } from "./findings/count-findings.ts";
import { diffImages } from "./findings/diff-images.ts";
import { listFindings } from "./findings/list-findings.ts";
import { listFixedTags } from "./findings/list-fixed-tags.ts";
import { listFixes } from "./findings/list-fixes.ts";
import { listVulnerabilities } from "./findings/list-vulnerabilities.ts";
import { getExposure } from "./findings/overview.ts";
import type { DocumentReader } from "./inventory/document-reader.ts";
import type { ContentsDeps } from "./inventory/image-contents.ts";
import { listImagePackages } from "./packages/list-image-packages.ts";
import { listPackageImages } from "./packages/list-package-images.ts";
import { searchExposure } from "./packages/search.ts";

/** The handlers of FindingsService and InventoryService. */
export function exposureMethods(
  deps: ListDeps & WriteDeps & ContentsDeps,
  documents: DocumentReader,
): (readonly [DescMethod, Handler])[] {
  const { method: findings } = FindingsService;
  const { method: inventory } = InventoryService;
  return [
    [findings.listFindings, listFindings(deps)],
    [findings.listFoundVulnerabilities, listVulnerabilities(deps)],
    [findings.listFixes, listFixes(deps)],
    [findings.listFixedTags, listFixedTags(deps)],
    [findings.countFindings, countFindings(deps)],
    [findings.getExposure, getExposure(deps)],
    [findings.diffImages, diffImages(deps)],
    [inventory.listImagePackages, listImagePackages(deps)],
    [inventory.listTaggedImages, listTaggedImages(deps)],
    [inventory.listPackageImages, listPackageImages(deps)],
    [inventory.searchExposure, searchExposure(deps)],
    [inventory.getImageInventory, getImageInventory(deps)],
    [inventory.getSbomDocument, getSbomDocument(deps)],
    [inventory.uploadImageDocument, uploadDocument(deps, documents)],
    [inventory.reindexImage, reindexImage(deps)],
  ];
}
