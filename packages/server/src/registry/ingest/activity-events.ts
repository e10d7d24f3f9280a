import { randomUUID } from "node:crypto";
import { parentOf } from "@wharf/contract";
import type { Transaction } from "../../store/db/group-commit.ts";
import { writeAudit, writeEvent } from "../../store/tables/audit-and-events.ts";
import type { Notice } from "./envelope.ts";

/** A notice of what was done to a repo. */
export interface Traffic {
  readonly notice: Notice;
  readonly host: string;
  /** The uid of the repo. */
  readonly repo: string;
  readonly requestId: string;
  /** What the tag stood for before; empty for a new one. */
  readonly previous?: string;
  /** Whether the tag moved where a group has decided that none should. */
  readonly isUnwanted?: boolean;
  /** What else the audit should say. */
  readonly note?: object;
}

const EVENTS = { push: "registry.push.v1", pull: "registry.pull.v1", delete: undefined } as const;

/**
 * Leaves who pushed, pulled or deleted what, and from where: an event for each, and an audit row for
 * each manifest. Deletions are told by the events of their tags.
 *
 * @example await writeTraffic(tx, { notice, host, repo: repo.uid, requestId });
 */
export async function writeTraffic(tx: Transaction, traffic: Traffic): Promise<void> {
  const { notice, host, repo, requestId, previous, isUnwanted, note } = traffic;
  const { action, time, actor, digest, tag, path } = notice;
  const type = EVENTS[action];
  if (type !== undefined) {
    const body = JSON.stringify(bodyOf(traffic));
    const about = { subject: repo, group: parentOf(repo), actor };
    await writeEvent(tx, { ...about, id: randomUUID(), time, type, bodyType: "", body });
  }
  if (notice.type === "blob" && action !== "delete") return;
  const detail = {
    host,
    repository: path,
    ...(tag && { tag }),
    ...(digest && { digest }),
    ...(previous && { previous }),
    ...(isUnwanted && { movedUniqueTag: true }),
    ...note,
  };
  await writeAudit(tx, {
    time,
    actor,
    method: `registry ${action}`,
    resource: repo,
    requestId,
    remoteAddress: notice.remoteAddress,
    userAgent: notice.userAgent,
    code: 0,
    detail: JSON.stringify(detail),
  });
}

function bodyOf({ notice, host, repo, previous, isUnwanted }: Traffic): object {
  const { action, path, tag, digest, method, type, time, remoteAddress, userAgent } = notice;
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
    ...(isUnwanted && { moved_unique_tag: true }),
  };
}
