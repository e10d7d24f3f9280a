import { create } from "@bufbuild/protobuf";
import {
  Auth,
  literalIdentityUid,
  type RegistrationRequest,
  type Session,
  SessionSchema,
} from "@wharf/contract";
import type { JWTPayload } from "jose";
import { clientOf } from "../../auth/standing.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { acceptInvite, findOpenInvite } from "../../iam/group-invites.ts";
import { keyIdOf } from "../../iam/invite-code.ts";
import { requireBearer } from "../../lib/bearer.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { SignInClient } from "../../store/tables/login/provider-people.ts";
import { findSession } from "../../store/tables/login/sessions.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { acceptedAudiences } from "../../sts/identity-cache.ts";
import { isForApiOrIssuer, verifyOwnToken } from "../../sts/own-token.ts";
import { Checks, invalidClaim, malformedToken } from "../../sts/verify/checks.ts";
import { exactly, oneOf } from "../../sts/verify/matcher.ts";
import { organizationOf, type TokenRule } from "../../sts/verify/rule.ts";
import { decodeToken, type UnverifiedToken } from "../../sts/verify/signature.ts";
import { verifyToken } from "../../sts/verify/verify.ts";
import type { PersonClaims } from "./person.ts";
import { registerPerson } from "./registration.ts";

/**
 * Registers a person with an invite: with a token of ours, or with a token of their identity
 * provider that is issued to us. Without an invite nobody is registered here; people of an identity
 * provider sign in through it.
 */
export function registerMethod(deps: ExchangeDeps & WriteDeps): Handler {
  return async (call, message) => {
    const { code, identityId } = message as RegistrationRequest;
    const token = requireBearer(call.authorization, "the token of the person to register");
    // Checked before keys are fetched: without an invite, a caller cannot make us fetch anything.
    const invite = keyIdOf(code);
    const open = await findOpenInvite(deps.store.reader, invite, call.time);
    if (open === undefined) throw invalidClaim("code");
    const joiner = await identifyJoiner(deps, call, token, organizationOf(open.uid));
    const session = await deps.store.writeFor(call, (tx) => {
      return join(
        new Mutation(call, tx, deps, { actor: joiner.identity }),
        invite,
        identityId,
        joiner,
      );
    });
    return messageReply(SessionSchema, session);
  };
}

/** The person who joins. */
interface Joiner {
  readonly identity: string;
  readonly email?: PersonClaims["email"];
  readonly client?: SignInClient | undefined;
  /** The claims of their identity provider, if they are not registered yet. */
  readonly person?: PersonClaims;
}

async function identifyJoiner(
  deps: ExchangeDeps,
  call: Call,
  token: string,
  organization: string,
): Promise<Joiner> {
  const read = decodeToken(token, Checks.failFast());
  if (read === undefined) throw malformedToken();
  if (read.issuer !== deps.addresses().authUrl)
    return unregisteredJoiner(deps, call, read, organization);
  const verified = await verifyOwnToken(deps, token, call.time);
  const { subject, session, boundary } = verified;
  if (!isForApiOrIssuer(verified, deps.addresses())) throw invalidClaim("aud");
  // A down-scoped token must not get its identity more rights.
  if (boundary !== undefined) throw invalidClaim("cap");
  const found = await findSession(deps.store.reader, session);
  // The session may belong to a person who assumed this identity, which has no address.
  if (found?.identity !== subject) return { identity: subject };
  const { email } = JSON.parse(found.person) as PersonClaims;
  return { identity: subject, email, client: clientOf(found) };
}

async function unregisteredJoiner(
  { addresses, source }: ExchangeDeps,
  { time }: Call,
  { token, issuer }: UnverifiedToken,
  organization: string,
): Promise<Joiner> {
  const claims = [["aud", oneOf(acceptedAudiences(addresses()))]] as const;
  const rule: TokenRule = { kind: "token", issuer: exactly(issuer), claims, organization };
  const person = describe(await verifyToken(token, rule, source, time));
  const { iss, sub } = person.act;
  return { identity: literalIdentityUid(iss, sub), email: person.email, person };
}

function describe({
  iss = "",
  sub = "",
  email,
  email_verified: verified,
}: JWTPayload): PersonClaims {
  if (typeof email !== "string") return { act: { iss, sub } };
  return { act: { iss, sub }, email: { address: email, verified: verified === true } };
}

async function join(
  change: Mutation,
  invite: string,
  expected: string,
  joiner: Joiner,
): Promise<Session> {
  const { identity, email, client, person } = joiner;
  if (person !== undefined) await registerPerson(change, person);
  if (expected !== "" && expected !== identity) throw invalidClaim("identity_id");
  const group = await acceptInvite(change, invite, { identity, email, client });
  const session = create(SessionSchema, { identity, group });
  emitRegistration(change, session);
  return session;
}

/** Emits the event of a registration at the group that was joined. */
export function emitRegistration(change: Mutation, session: Session): void {
  const body = { type: SessionSchema.typeName, json: messageToJson(SessionSchema, session) };
  change.emit(Auth.method.register, "", body, session.group);
}
