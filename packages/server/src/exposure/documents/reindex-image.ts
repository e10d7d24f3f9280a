import { ImageInventorySchema, type ReindexImageRequest } from "@wharf/contract";
import { audit } from "../../engine/audit/audit.ts";
import type { WriteDeps } from "../../engine/write/mutation.ts";
import type { Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { forgetReading } from "../../store/tables/exposure/images/images.ts";
import { imageWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork } from "../../store/tables/exposure/work/work.ts";
import { findImageOrIndex, imagesOf, readImageInventory } from "./image-inventory.ts";

/** The handler of ReindexImage. */
export function reindexImage({ store }: WriteDeps): Handler {
  return async (call, message) => {
    const { repoUid, digest } = message as ReindexImageRequest;
    await store.writeFor(call, async (tx) => {
      const manifest = await findImageOrIndex(tx, repoUid, digest);
      for (const image of imagesOf(manifest)) await forgetReading(tx, repoUid, image.digest);
      await requestWork(tx, [imageWork(repoUid, digest)]);
      await audit(tx, call, { resource: repoUid, detail: { digest } });
    });
    const inventory = await readImageInventory(store.reader, repoUid, digest);
    return messageReply(ImageInventorySchema, inventory);
  };
}
