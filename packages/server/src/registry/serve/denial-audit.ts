import type { AuditAggregators } from "../../engine/audit/aggregator.ts";
import { truncateUserAgent } from "../../engine/audit/audit.ts";
import { WharfError } from "../../lib/errors.ts";
import type { AuditEntry } from "../../store/tables/audit/audit-and-events.ts";
import type { HttpRequest } from "../../wire/endpoint.ts";
import type { RegistryCaller } from "./access.ts";

/** The caller may not do this there. */
export class RegistryDenial extends WharfError {
  /** The uid of the repo or group, if the path has one. */
  readonly resource: string;

  constructor(text: string, resource: string) {
    super("PERMISSION_DENIED", text);
    this.resource = resource;
  }
}

/**
 * Audits rejected credentials and denials, aggregated: clients can send any number of them. A request without credentials
 * is not audited: every client begins with one.
 */
export async function auditDenial(
  { anonymous, denials }: AuditAggregators,
  request: HttpRequest,
  caller: RegistryCaller | undefined,
  error: WharfError,
): Promise<void> {
  const { code, number, message } = error;
  const isRejected = code === "UNAUTHENTICATED" && caller === undefined;
  if (!isRejected && code !== "PERMISSION_DENIED") return;
  const resource = error instanceof RegistryDenial ? error.resource : "";
  const entry: AuditEntry = {
    time: Date.now(),
    actor: caller?.caller.uid ?? "",
    ...(caller?.caller.name && { actorName: caller.caller.name }),
    method: `registry ${request.method}`,
    resource,
    requestId: request.requestId,
    remoteAddress: request.remoteAddress,
    userAgent: truncateUserAgent(request.headers["user-agent"] ?? ""),
    code: number,
    detail: JSON.stringify({ refused: message }),
    via: "registry",
  };
  // The client gets the error even if the store cannot be written.
  const recorded =
    caller === undefined ? anonymous.record(entry, message) : denials.record(entry, resource);
  await recorded.catch(() => {});
}
