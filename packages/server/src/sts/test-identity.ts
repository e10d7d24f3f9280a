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
 * Says what an exchange of a token would come to, by running it without its end. What the token
 * could do is told only when it would be given: whoever holds it could find out by asking for it.
 */
export function testIdentityMethod(deps: ExchangeDeps): Handler {
  return async (call, message) => {
    const request = message as TestIdentityRequest;
    const { uid, token } = request;
    const identity = await deps.identities.find(uid);
    if (identity === undefined || uid === OPERATOR_UID) throw notFound("Identity", uid);
    const checks = Checks.collectAll();
    const seen: AuditedSubject = { identity: uid };
    const presented = { token, identity: uid, time: call.time };
    const entitled = await authorizeSubject(deps, presented, checks, seen);
    await auditTest(deps.engine, call, token, seen, entitled !== undefined);
    const response = create(TestIdentityResponseSchema, {
      allowed: entitled !== undefined,
      checks: checks.results.map((check) => ({ ...check, found: shortened(check.found) })),
      grants: entitled === undefined ? [] : await grantsOf(deps, entitled, request),
      warnings: await warningsOf(identity.rule, checks.results),
    });
    return messageReply(TestIdentityResponseSchema, response);
  };
}

/** Claims of a wrong token can be anything, and of any length. */
const LONGEST_FOUND = 1_024;

function shortened(text: string): string {
  return text.length > LONGEST_FOUND ? `${text.slice(0, LONGEST_FOUND)}…` : text;
}

async function grantsOf(
  deps: ExchangeDeps,
  entitled: AuthorizedSubject,
  { scopes, cap: capabilities }: TestIdentityRequest,
): Promise<
  { group: string; capabilities: TestIdentityResponse["grants"][number]["capabilities"] }[]
> {
  const { granted } = entitled.identity;
  const limit = await boundaryOf(deps, entitled, { scopes, capabilities });
  const held = limit === undefined ? granted : granted.within(limit);
  return [...held.entries]
    .filter(([, set]) => !set.isEmpty)
    .map(([group, set]) => ({ group, capabilities: set.toArray() }))
    .sort((a, b) => (a.group < b.group ? -1 : 1));
}
