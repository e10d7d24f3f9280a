import { randomUUID } from "node:crypto";
import { parentOf } from "@wharf/contract";
import type { Transaction } from "../../store/db/group-commit.ts";
import { writeAudit, writeEvent } from "../../store/tables/audit-and-events.ts";
import type { RegistryNotification } from "./envelope.ts";

/** A notification of what was done to a repo. */
export interface RegistryActivity {
  readonly notification: RegistryNotification;
  readonly host: string;
  /** The uid of the repo. */
  readonly repo: string;
  readonly requestId: string;
  /** What the tag stood for before; empty for a new one. */
  readonly previous?: string;
  /** Whether the tag moved where a group has decided that none should. */
  readonly movedUniqueTag?: boolean;
  /** What else the audit should say. */
  readonly note?: object;
}

const EVENTS = { push: "registry.push.v1", pull: "registry.pull.v1", delete: undefined } as const;

/**
 * Leaves who pushed, pulled or deleted what, and from where: an event for each, and an audit row for
 * each manifest. Deletions are told by the events of their tags.
 *
 * @example await writeActivity(tx, { notification, host, repo: repo.uid, requestId });
 */
export async function writeActivity(tx: Transaction, activity: RegistryActivity): Promise<void> {
  const { notification, host, repo, requestId, previous, movedUniqueTag, note } = activity;
  const { action, time, actor, digest, tag, path } = notification;
  const type = EVENTS[action];
  if (type !== undefined) {
    const body = JSON.stringify(bodyOf(activity));
    const about = { subject: repo, group: parentOf(repo), actor };
    await writeEvent(tx, { ...about, id: randomUUID(), time, type, bodyType: "", body });
  }
  if (notification.type === "blob" && action !== "delete") return;
  const detail = {
    host,
    repository: path,
    ...(tag && { tag }),
    ...(digest && { digest }),
    ...(previous && { previous }),
    ...(movedUniqueTag && { movedUniqueTag: true }),
    ...note,
  };
  await writeAudit(tx, {
    time,
    actor,
    method: `registry ${action}`,
    resource: repo,
    requestId,
    remoteAddress: notification.remoteAddress,
    userAgent: notification.userAgent,
    code: 0,
    detail: JSON.stringify(detail),
  });
}

function bodyOf({ notification, host, repo, previous, movedUniqueTag }: RegistryActivity): object {
  const { action, path, tag, digest, method, type, time, remoteAddress, userAgent } = notification;
  return {
    repository: path,
    repo_id: repo,
    ...(tag && { tag }),
    digest,
    ...(action === "pull" && { method }),
    type,
    // Without its zone, which is UTC.
    when: new Date(time).toISOString().slice(0, -1),
    location: host,
    remote_address: remoteAddress,
    user_agent: userAgent,
    ...(action === "push" && previous && { tag_previous_digest: previous }),
    ...(movedUniqueTag && { moved_unique_tag: true }),
  };
}
