import { create } from "@bufbuild/protobuf";
import {
  type AccessGrant,
  AccessGrantKind,
  AccessGrantSchema,
  AccessObstacle,
  type AccessToken,
  AccessTokenSchema,
  Capability,
  type CheckAccessRequest,
  CheckAccessRequest_View,
  type CheckAccessResponse,
  CheckAccessResponseSchema,
} from "@wharf/contract";
import type { Access } from "../../auth/access.ts";
import { ANONYMOUS_UID, type Caller, OPERATOR_UID } from "../../auth/caller.ts";
import { isPublicAt } from "../../auth/public-access.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import { invalidArgument, WharfError } from "../../lib/errors.ts";
import { type Call, type Handler, onlyReads, type Reply } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readConsistently } from "./consistent-read.ts";
import { reasonOf } from "./decision-reason.ts";
import { Decisions, type Question } from "./decisions.ts";
import { type Decision, explainedDecision } from "./explained-decision.ts";
import { grantMessages } from "./grant-messages.ts";
import { remedyOf } from "./remedy.ts";
import { mayReadOrigin, mustReadAccess, mustReadIdentity } from "./visibility.ts";

/** Answers whether an identity may do something, and, unless only the decision is requested, why. */
export function checkAccessMethod(deps: ResourceAccess): Handler {
  return onlyReads((call, message) => {
    const { resource, capability, identity, view } = message as CheckAccessRequest;
    mustBeCapability(capability);
    mustBeView(view);
    const question = { resource, capability, identity: identity || call.caller.uid };
    const isOwn = question.identity === call.caller.uid;
    if (view === CheckAccessRequest_View.DECISION && isOwn)
      // Needs no read: the call itself is decided by the same grants.
      return decisionReply(call.caller.grants.holds([capability], resource), call.caller.uid);
    return answer(deps, call, question, view);
  });
}

async function answer(
  deps: ResourceAccess,
  call: Call,
  question: Question,
  view: CheckAccessRequest_View,
): Promise<Reply> {
  if (view === CheckAccessRequest_View.DECISION) {
    const allowed = await readConsistently(deps.store, async (version) =>
      new Decisions(deps, call, version).decide(question),
    );
    if (allowed instanceof WharfError) throw allowed;
    return decisionReply(allowed, question.identity);
  }
  if (question.identity !== call.caller.uid) {
    mustReadAccess(call.caller, question.resource);
    await mustReadIdentity(deps.store, call.caller, question.identity);
  }
  const reader = deps.store.readerFor(call);
  const decision = await explainedDecision(deps, reader, call, question);
  const response = await responseOf(deps, reader, call, question, decision);
  return messageReply(CheckAccessResponseSchema, response);
}

function decisionReply(allowed: boolean, identity: string): Reply {
  const response = create(CheckAccessResponseSchema, { allowed, identity });
  return messageReply(CheckAccessResponseSchema, response);
}

/** Rejects capabilities that this version does not know. */
export function mustBeCapability(capability: Capability, field = "capability"): void {
  if (capability !== Capability.UNKNOWN && capability in Capability) return;
  const description = "capability must be one of the known capabilities";
  throw invalidArgument({ field, description });
}

function mustBeView(view: CheckAccessRequest_View): void {
  if (view in CheckAccessRequest_View) return;
  throw invalidArgument({ field: "view", description: "view must be DECISION, or absent" });
}

async function responseOf(
  deps: Pick<ResourceAccess, "access" | "catalog">,
  reader: Reader,
  { caller }: Call,
  question: Question,
  { allowed, origins }: Decision,
): Promise<CheckAccessResponse> {
  const { resource, capability, identity } = question;
  const isOwn = identity === caller.uid;
  const readable = origins.filter((origin) => isOwn || mayReadOrigin(caller, origin));
  const shown = readable.map((origin) => ({ ...origin, identity }));
  const anyone = await deps.access.grantsOf(ANONYMOUS_UID, reader);
  const response = create(CheckAccessResponseSchema, {
    allowed,
    identity,
    grants:
      identity === OPERATOR_UID
        ? [operatorGrant(allowed)]
        : await grantMessages(deps.catalog, reader, shown, { caller, resource }),
    hiddenGrant: origins.some((one) => !readable.includes(one) && one.obstacle === undefined),
    public: anyone !== undefined && isPublicAt(anyone, capability, resource),
    ...(isOwn && { token: await tokenOf(deps.access, reader, caller) }),
    ...(!allowed && { remedy: await remedyOf(deps.catalog, reader, caller, question) }),
  });
  response.reason = reasonOf(question, response);
  return response;
}

function operatorGrant(allowed: boolean): AccessGrant {
  return create(AccessGrantSchema, {
    kind: AccessGrantKind.OPERATOR,
    obstacle: allowed ? AccessObstacle.UNSPECIFIED : AccessObstacle.TOKEN_SCOPE,
  });
}

async function tokenOf(
  access: Access,
  reader: Reader,
  { uid, session = "", boundary }: Caller,
): Promise<AccessToken> {
  const login = session === "" ? undefined : await access.session(session, reader);
  return create(AccessTokenSchema, {
    session,
    actor: login === undefined || login.identity === uid ? "" : login.identity,
    downScoped: boundary !== undefined,
  });
}
