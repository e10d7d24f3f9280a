import { createHash } from "node:crypto";
import { auditContent } from "@wharf/contract";

/** The lines of an export, as JSON. */

export interface HeaderLine {
  readonly kind: "header";
  readonly format: string;
  readonly roots: readonly string[];
  readonly keys: readonly { readonly kid: string }[];
}

export interface CheckpointLine {
  readonly kind: "checkpoint";
  readonly signed: string;
}

export interface EntryLine {
  readonly kind: "entry";
  readonly uid: string;
  readonly time: string;
  readonly method: string;
  readonly actor: { readonly uid: string; readonly name: string };
  readonly resource: { readonly uid: string; readonly name: string; readonly type: string };
  readonly code: number;
  readonly changedFields: readonly string[];
  readonly session: string;
  readonly sourceAddress: string;
  readonly userAgent: string;
  readonly via: string;
  readonly requestId: string;
  readonly detail: object;
  readonly integrity?: {
    readonly chain: string;
    readonly sequence: string;
    readonly previousHash: string;
    readonly hash: string;
  };
}

export type Line = HeaderLine | CheckpointLine | EntryLine;

/** The hash that an entry must have. */
export function entryHash(
  entry: EntryLine,
  { chain, sequence, previousHash }: NonNullable<EntryLine["integrity"]>,
): string {
  const { actor, resource } = entry;
  const content = auditContent({
    ...{ chain, sequence: Number(sequence), previousHash },
    time: Date.parse(entry.time),
    method: entry.method,
    ...{ actor: actor.uid, actorName: actor.name },
    ...{ resource: resource.uid, resourceName: resource.name, resourceType: resource.type },
    code: entry.code,
    changedFields: entry.changedFields,
    session: entry.session,
    sourceAddress: entry.sourceAddress,
    userAgent: entry.userAgent,
    via: entry.via,
    requestId: entry.requestId,
    detail: entry.detail,
  });
  return sha256(content);
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
