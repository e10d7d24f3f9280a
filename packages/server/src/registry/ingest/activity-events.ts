import { parentOf, type Repo } from "@wharf/contract";
import { newEventId } from "../../lib/event-id.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { writeAudit, writeEvent } from "../../store/tables/audit/audit-and-events.ts";
import type { RegistryNotification } from "./notification-formats.ts";

/** A push, pull or deletion in a registry, with the repo it is about. */
export interface RegistryActivity {
  readonly notification: RegistryNotification;
  readonly host: string;
  readonly repo: Pick<Repo, "uid" | "name">;
  /** The name of the actor at the time: identities can be renamed and deleted. */
  readonly actorName: string;
  readonly requestId: string;
  /** The former digest of a moved tag; empty for a new one. */
  readonly previous?: string;
  /** Whether a tag moved although its group wants unique tags, or a rule makes it immutable. */
  readonly movedUniqueTag?: boolean;
  /** More detail for the audit log. */
  readonly detail?: object;
}

const EVENT_TYPES = {
  push: "registry.push.v1",
  pull: "registry.pull.v1",
  // Deletions have the events of the deleted tags.
  delete: undefined,
} as const;

/**
 * Writes the event of a push or pull, and an audit row with its actor and address. Pushed and pulled
 * layers have events only.
 */
export function writeActivity(tx: Transaction, activity: RegistryActivity): void {
  const { notification, host, repo, requestId, previous, movedUniqueTag } = activity;
  const { action, time, actor, digest, tag, path } = notification;
  const type = EVENT_TYPES[action];
  if (type !== undefined) {
    const body = JSON.stringify(eventBody(activity));
    const about = { subject: repo.uid, group: parentOf(repo.uid), actor };
    writeEvent(tx, { ...about, id: newEventId(time), time, type, bodyType: "", body });
  }
  if (!isAudited(notification)) return;
  const detail = {
    host,
    repository: path,
    ...(tag && { tag }),
    ...(digest && { digest }),
    ...(previous && { previous }),
    ...(movedUniqueTag && { movedUniqueTag: true }),
    ...activity.detail,
  };
  writeAudit(tx, {
    time,
    actor,
    method: `registry ${action}`,
    resource: repo.uid,
    requestId,
    remoteAddress: notification.remoteAddress,
    userAgent: notification.userAgent,
    code: 0,
    detail: JSON.stringify(detail),
    actorName: activity.actorName,
    resourceName: repo.name,
    resourceType: "Repo",
    via: "registry",
  });
}

/** Whether an activity has an audit row: layers that are pushed and pulled have none. */
export function isAudited({ type, action }: RegistryNotification): boolean {
  return type !== "blob" || action === "delete";
}

/**
 * The body as clients of the public contract read it. They expect the client's geographical location in `location`, which is
 * unknown here; `registry` is an addition.
 */
function eventBody(activity: RegistryActivity): object {
  const { notification, host, repo, previous, movedUniqueTag } = activity;
  const { action, path, tag, digest, method, type, time, remoteAddress, userAgent } = notification;
  return {
    repository: path,
    repo_id: repo.uid,
    ...(action === "push" && { display_name: repo.name }),
    ...(tag && { tag }),
    digest,
    ...(action === "pull" && { method }),
    type,
    // UTC, without a time zone: the format of this event.
    when: new Date(time).toISOString().slice(0, -1),
    location: "",
    registry: host,
    remote_address: remoteAddress,
    user_agent: userAgent,
    ...(action === "push" && previous && { tag_previous_digest: previous }),
    ...(movedUniqueTag && { moved_unique_tag: true }),
  };
}
