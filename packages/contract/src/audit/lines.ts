import { auditContent } from "../audit-content.ts";

/** The lines of an export, as JSON. */

export interface HeaderLine {
  readonly kind: "header";
  readonly format: string;
  readonly time?: string;
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

/**
 * The text whose SHA-256 verifies a line: what the hash of an entry covers, or a signed checkpoint. Empty for others.
 *
 * @example createHash("sha256").update(hashedText(line)).digest("hex")
 */
export function hashedText(line: Line): string {
  if (line.kind === "header") return "";
  if (line.kind === "checkpoint") return line.signed;
  const { integrity, actor, resource } = line;
  if (integrity === undefined) return "";
  const { chain, sequence, previousHash } = integrity;
  return auditContent({
    ...{ chain, sequence: Number(sequence), previousHash },
    time: Date.parse(line.time),
    method: line.method,
    ...{ actor: actor.uid, actorName: actor.name },
    ...{ resource: resource.uid, resourceName: resource.name, resourceType: resource.type },
    code: line.code,
    changedFields: line.changedFields,
    session: line.session,
    sourceAddress: line.sourceAddress,
    userAgent: line.userAgent,
    via: line.via,
    requestId: line.requestId,
    detail: line.detail,
  });
}
