import type { DescMethod } from "@bufbuild/protobuf";
import { InventoryService } from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { Handler } from "../../rpc/call.ts";
import { listImagePackages } from "./list-image-packages.ts";
import { listPackageImages } from "./list-package-images.ts";
import { searchExposure } from "./search.ts";

/** The handlers of InventoryService that only read packages. */
export function packageHandlers(deps: ListDeps): (readonly [DescMethod, Handler])[] {
  const { method } = InventoryService;
  return [
    [method.listImagePackages, listImagePackages(deps)],
    [method.listPackageImages, listPackageImages(deps)],
    [method.searchExposure, searchExposure(deps)],
  ];
}
