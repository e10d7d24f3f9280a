import type { DescMethod } from "@bufbuild/protobuf";
import { InventoryService } from "@wharf/contract";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Handler } from "../../rpc/call.ts";
import type { DocumentReader } from "../inventory/document-reader.ts";
import type { ContentsDeps } from "../inventory/image-contents.ts";
import { getImageInventory } from "./image-inventory.ts";
import { reindexImage } from "./reindex-image.ts";
import { getSbomDocument } from "./sbom-document.ts";
import { uploadDocument } from "./upload-document.ts";

/** The handlers of InventoryService about documents. */
export function documentHandlers(
  deps: WriteDeps & ContentsDeps,
  documents: DocumentReader,
): (readonly [DescMethod, Handler])[] {
  const { method } = InventoryService;
  return [
    [method.getImageInventory, getImageInventory(deps)],
    [method.getSbomDocument, getSbomDocument(deps)],
    [method.uploadImageDocument, uploadDocument(deps, documents)],
    [method.reindexImage, reindexImage(deps)],
  ];
}
