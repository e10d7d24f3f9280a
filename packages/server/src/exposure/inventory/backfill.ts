import type { Store } from "../../store/db/store.ts";
import { unreadManifests } from "../../store/tables/exposure/images/images.ts";
import { addWaiting } from "../../store/tables/exposure/images/waiting-images.ts";
import { imageWork, tagWork } from "../../store/tables/exposure/work/image-work.ts";
import { requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { workInPages } from "../work/pages.ts";

/** Manifests per transaction. */
const BATCH_SIZE = 500;

/** After an upgrade, replicas of the previous release may still run, and request no work for what is pushed to them. */
const SECOND_PASS_MS = 3_600_000;

/** Work `backfill`: requests the reading of images that are stored, but were not read. Key `second`: once more, later. */
export function requestUnread(store: Store, work: Work): Promise<void> {
  return workInPages(store, work, async (tx, after) => {
    const [repo = "", digest = ""] = after.split(" ");
    const now = Date.now();
    const page = await unreadManifests(tx, repo, digest, BATCH_SIZE);
    await addWaiting(
      tx,
      page.filter(({ kind }) => kind === "image"),
    );
    // After what is pushed now, which is due at once.
    const requests = page.flatMap((one) => [
      { ...imageWork(one.repo, one.digest), due: now },
      tagWork(one.repo, one.digest),
    ]);
    await requestWork(tx, requests);
    const end = page.length < BATCH_SIZE ? undefined : page.at(-1);
    if (end !== undefined) return `${end.repo} ${end.digest}`;
    const second = { kind: "backfill", key: "second", due: now + SECOND_PASS_MS } as const;
    if (work.key === "") await requestWork(tx, [second]);
    return undefined;
  });
}
