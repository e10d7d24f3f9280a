import type { Repo } from "@wharf/client";
import type { Context } from "../context.ts";
import { failed } from "../errors.ts";
import { problemOf } from "../problem.ts";

/** An image to delete from its repo. */
export interface ImageToDelete {
  readonly repo: Repo;
  readonly digest: string;
}

/**
 * Deletes images in their order. Reports each that cannot be deleted and goes on; fails at the end if there
 * was one.
 */
export async function deleteImages(
  context: Context,
  targets: readonly ImageToDelete[],
): Promise<void> {
  const { err, signal } = context;
  const { images } = await context.client();
  let failures = 0;
  await context.progress("deleting images", async (step) => {
    for (const [index, { repo, digest }] of targets.entries()) {
      try {
        await images.delete({ repoUid: repo.uid, digest }, { signal });
        err.note(`deleted ${repo.name}@${digest}`);
      } catch (error) {
        signal.throwIfAborted();
        const { message, code } = problemOf(error);
        // Some registries delete what belongs to an image with it.
        if (code === "NOT_FOUND" && targets.length > 1) continue;
        err.warn(`${repo.name}@${digest} is not deleted: ${message}`);
        failures++;
      } finally {
        step.at(index + 1, targets.length);
      }
    }
  });
  if (failures > 0) throw failed(`${failures} of ${targets.length} images are not deleted`);
}
