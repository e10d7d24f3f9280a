import { create } from "@bufbuild/protobuf";
import {
  type TestIdentityRequest,
  type TestIdentityResponse,
  TestIdentityResponseSchema,
} from "@wharf/contract";
import { OPERATOR_UID } from "../auth/caller.ts";
import { notFound } from "../lib/errors.ts";
import type { Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import {
  type AuditedSubject,
  type AuthorizedSubject,
  authorizeSubject,
  type ExchangeDeps,
} from "./authorize-subject.ts";
import { boundaryOf } from "./exchange.ts";
import { auditTest } from "./exchange-audit.ts";
import { Checks } from "./verify/checks.ts";
import { warningsOf } from "./warnings.ts";

/**
 * Dry run of an exchange: returns all checks instead of a token. The grants are returned only if the exchange would
 * succeed, in which case the holder of the token could get them anyway.
 */
export function testIdentityMethod(deps: ExchangeDeps): Handler {
  return async (call, message) => {
    const request = message as TestIdentityRequest;
    const { uid, token } = request;
    const identity = await deps.identities.find(uid);
    if (identity === undefined || uid === OPERATOR_UID) throw notFound("Identity", uid);
    const checks = Checks.collectAll();
    const audited: AuditedSubject = { identity: uid };
    const subjectToken = { token, identity: uid, time: call.time };
    const subject = await authorizeSubject(deps, subjectToken, checks, audited);
    await auditTest(deps.store, call, token, audited, subject !== undefined);
    const response = create(TestIdentityResponseSchema, {
      allowed: subject !== undefined,
      checks: checks.results.map((check) => ({ ...check, found: shortened(check.found) })),
      grants: subject === undefined ? [] : await grantsOf(deps, subject, request),
      warnings: await warningsOf(identity.rule, checks.results),
    });
    return messageReply(TestIdentityResponseSchema, response);
  };
}

/** Claims of an unverified token can have any length. */
const MAX_FOUND_CHARACTERS = 1_024;

function shortened(text: string): string {
  return text.length > MAX_FOUND_CHARACTERS ? `${text.slice(0, MAX_FOUND_CHARACTERS)}…` : text;
}

async function grantsOf(
  deps: ExchangeDeps,
  subject: AuthorizedSubject,
  { scopes, cap: capabilities }: TestIdentityRequest,
): Promise<
  { group: string; capabilities: TestIdentityResponse["grants"][number]["capabilities"] }[]
> {
  const { granted } = subject.identity;
  const boundary = await boundaryOf(deps, subject, { scopes, capabilities });
  const held = boundary === undefined ? granted : granted.intersect(boundary);
  return [...held.entries]
    .filter(([, set]) => !set.isEmpty)
    .map(([group, set]) => ({ group, capabilities: set.toArray() }))
    .sort((a, b) => (a.group < b.group ? -1 : 1));
}
