import { parentOf } from "@wharf/contract";
import { OPERATOR_UID } from "../../auth/caller.ts";
import { newEventId } from "../../lib/event-id.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import { writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import {
  announcedImages,
  announceImages,
  openImages,
  openVulnerabilities,
} from "../../store/tables/exposure/findings/findings.ts";
import { imagesById } from "../../store/tables/exposure/images/assessed-images.ts";
import { finishWork, requestWork, type Work } from "../../store/tables/exposure/work/work.ts";
import { OPEN_STATUSES } from "./finding.ts";
import { eventWork } from "./write-findings.ts";

/** Digests in an event. */
const MAX_DIGESTS = 100;

/**
 * Writes the event of a vulnerability in a repo, if there is one: more of its images in use are affected than the last
 * event has announced, or none any more.
 */
export async function notifyOfFindings(deps: { readonly store: Store }, work: Work): Promise<void> {
  const at = work.key.indexOf(" ");
  const [repo, vulnerability] = [work.key.slice(0, at), work.key.slice(at + 1)];
  await deps.store.write(async (tx) => {
    const {
      digests,
      inUse: images,
      any,
    } = await openImages(tx, repo, vulnerability, {
      ...{ statuses: OPEN_STATUSES, limit: MAX_DIGESTS, now: Date.now() },
    });
    const announced = await announcedImages(tx, repo, vulnerability);
    if (images !== announced) await announceImages(tx, repo, vulnerability, images);
    const body = { repoUid: repo, vulnerability, images, digests };
    if (images > announced) writeNotification(tx, "exposure.image.affected.v1", repo, body);
    // An image that nobody uses any more is not cleared.
    if (!any && announced > 0) {
      writeNotification(tx, "exposure.image.cleared.v1", repo, body);
    }
    await finishWork(tx, work);
  });
}

function writeNotification(tx: Transaction, type: string, repo: string, body: object): void {
  const time = Date.now();
  writeEvent(tx, {
    id: newEventId(time),
    time,
    type,
    subject: repo,
    group: parentOf(repo),
    actor: OPERATOR_UID,
    bodyType: "",
    body: JSON.stringify(body),
  });
}

/** Requests the events of images that have come into use, or are not in use any more. */
export async function requestEventsOf(tx: Transaction, imageIds: readonly number[]): Promise<void> {
  const images = await imagesById(tx, imageIds);
  const byRepo = Map.groupBy(images, ({ repo }) => repo);
  const now = Date.now();
  for (const [repo, some] of byRepo) {
    const ids = some.map(({ id }) => id);
    const names = await openVulnerabilities(tx, ids, OPEN_STATUSES);
    await requestWork(
      tx,
      names.map((name) => eventWork(repo, name, now)),
    );
  }
}
