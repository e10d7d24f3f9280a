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
  type CheckAccessResponse,
  CheckAccessResponseSchema,
} from "@wharf/contract";
import { ANONYMOUS_UID, type Caller, OPERATOR_UID } from "../../auth/caller.ts";
import { isPublicAt } from "../../auth/public-access.ts";
import type { Engine } from "../../engine/engine.ts";
import { invalidArgument } from "../../lib/errors.ts";
import { type Call, type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { type Decision, decide, type Question } from "./decision.ts";
import { reasonOf } from "./reason.ts";
import { remedyOf } from "./remedy.ts";
import { shownGrants } from "./shown.ts";
import { mayReadOrigin, mustReadAccess, mustReadIdentity } from "./visibility.ts";

/** Answers whether an identity may do something, and why. */
export function checkAccessMethod(engine: Engine): Handler {
  return onlyReads(async (call, message) => {
    const { resource, capability, identity } = message as CheckAccessRequest;
    mustBeKnown(capability);
    const question = { resource, capability, identity: identity || call.caller.uid };
    if (question.identity !== call.caller.uid) {
      mustReadAccess(call.caller, resource);
      await mustReadIdentity(engine, call.caller, question.identity);
    }
    const reader = engine.store.readerFor(call);
    const decision = await decide(engine, reader, call, question);
    const response = await responseOf(engine, reader, call, question, decision);
    return messageReply(CheckAccessResponseSchema, response);
  });
}

/** Rejects capabilities that this version does not know. */
export function mustBeKnown(capability: Capability): void {
  if (capability !== Capability.UNKNOWN && capability in Capability) return;
  const description = "capability must be one of the known capabilities";
  throw invalidArgument({ field: "capability", description });
}

async function responseOf(
  engine: Engine,
  reader: Reader,
  { caller }: Call,
  question: Question,
  { allowed, origins }: Decision,
): Promise<CheckAccessResponse> {
  const { resource, capability, identity } = question;
  const isOwn = identity === caller.uid;
  const readable = origins.filter((origin) => isOwn || mayReadOrigin(caller, origin));
  const shown = readable.map((origin) => ({ ...origin, identity }));
  const anyone = await engine.access.grantsOf(ANONYMOUS_UID, reader);
  const response = create(CheckAccessResponseSchema, {
    allowed,
    identity,
    grants:
      identity === OPERATOR_UID
        ? [operatorGrant(allowed)]
        : await shownGrants(engine, reader, shown, { caller, resource }),
    hiddenGrant: origins.some((one) => !readable.includes(one) && one.obstacle === undefined),
    public: anyone !== undefined && isPublicAt(anyone, capability, resource),
    ...(isOwn && { token: await tokenOf(engine, reader, caller) }),
    ...(!allowed && { remedy: await remedyOf(engine, reader, caller, question) }),
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
  { access }: Engine,
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
