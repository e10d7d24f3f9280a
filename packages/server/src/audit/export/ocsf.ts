import { auditContent } from "@wharf/contract";
import { VERSION } from "../../lib/version.ts";
import { hashedEntry } from "../../store/tables/audit/chains.ts";
import type { StoredAuditEntry } from "../../store/tables/audit/entries.ts";
import { type Classification, classify } from "./ocsf-classes.ts";

/** The version of the Open Cybersecurity Schema Framework that events follow. */
const OCSF_VERSION = "1.9.0";

const PRODUCT = { name: "Wharf", vendor_name: "Wharf", version: VERSION };

/** Severities of OCSF: informational, and low for what was denied. */
const INFORMATIONAL = { severity_id: 1, severity: "Informational" };
const LOW = { severity_id: 2, severity: "Low" };

/** An entry as an OCSF event, with its place in the hash chain (profile `record_integrity`). */
export function ocsfOf(entry: StoredAuditEntry): object {
  const classified = classify(entry);
  const { classUid, className, categoryUid, categoryName, activityId, activityName } = classified;
  const succeeded = entry.code === 0;
  return {
    ...{ activity_id: activityId, activity_name: activityName },
    ...{ category_uid: categoryUid, category_name: categoryName },
    ...{ class_uid: classUid, class_name: className },
    type_uid: classUid * 100 + activityId,
    type_name: `${className}: ${activityName}`,
    ...(succeeded ? INFORMATIONAL : LOW),
    ...{ status_id: succeeded ? 1 : 2, status: succeeded ? "Success" : "Failure" },
    status_code: String(entry.code),
    time: entry.time,
    metadata: {
      version: OCSF_VERSION,
      product: PRODUCT,
      uid: String(entry.id),
      correlation_uid: entry.requestId,
      profiles: entry.chain === "" ? [] : ["record_integrity"],
    },
    actor: actorOf(entry),
    src_endpoint: { ip: entry.remoteAddress || "0.0.0.0" },
    ...(entry.userAgent && { http_request: { user_agent: entry.userAgent } }),
    ...objectsOf(classified, entry),
    ...(entry.chain !== "" && proofOf(entry)),
    unmapped: {
      via: entry.via,
      changed_fields: entry.changedFields,
      detail: entry.detail === "" ? {} : JSON.parse(entry.detail),
    },
  };
}

/** The attributes that the class requires beside those of all events. */
function objectsOf({ target }: Classification, entry: StoredAuditEntry): object {
  const { resource, resourceName, resourceType, method, requestId } = entry;
  const uidAndName = { uid: resource, ...(resourceName && { name: resourceName }) };
  const api = {
    operation: method,
    service: { name: serviceOf(method) },
    request: { uid: requestId },
  };
  switch (target) {
    case "user":
      return { user: uidAndName, api };
    case "login":
      return { user: userOf(entry), service: { name: "Wharf" }, is_remote: true };
    case "group":
      return { group: uidAndName, api };
    case "role":
      return { iam_role: uidAndName, api };
    case "resource":
      return { api, resources: [{ ...uidAndName, type: resourceType || "Unknown" }] };
  }
}

function actorOf(entry: StoredAuditEntry): object {
  const session = entry.session === "" ? {} : { session: { uid: entry.session } };
  return { user: userOf(entry), ...session };
}

function userOf({ actor, actorName }: StoredAuditEntry): object {
  return { uid: actor || "anonymous", ...(actorName && { name: actorName }) };
}

function serviceOf(method: string): string {
  const slash = method.indexOf("/");
  return slash < 0 ? "wharf" : method.slice(0, slash);
}

/**
 * The fingerprint is that of `raw_data`, the canonical form of the entry, which contains the fingerprint of the entry
 * before it.
 */
function proofOf(entry: StoredAuditEntry): object {
  const { chain, sequence, previousHash, hash } = entry;
  const attestation = {
    chain_uid: chain,
    ...(sequence > 1 && { prev_event: { fingerprint: fingerprint(previousHash) } }),
    fingerprint: fingerprint(hash),
  };
  const raw = { raw_data: auditContent(hashedEntry(entry)), raw_data_hash: fingerprint(hash) };
  return { ...raw, attestation_list: [attestation] };
}

/** SHA-256 is number 3 of OCSF's algorithms. */
function fingerprint(value: string): object {
  return { algorithm_id: 3, algorithm: "SHA-256", value };
}
