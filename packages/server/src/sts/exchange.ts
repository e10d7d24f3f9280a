import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ExchangeRequest, RawTokenSchema } from "@wharf/contract";
import type { JWTPayload } from "jose";
import type { Grants } from "../auth/grants.ts";
import { issueToken, type TokenContent } from "../auth/token.ts";
import { bearerToken } from "../lib/bearer.ts";
import { WharfError } from "../lib/errors.ts";
import type { ProviderExchange } from "../login/providers/provider-exchange.ts";
import type { Handler, Reply } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { readAudiences } from "./audiences.ts";
import {
  type AuditedSubject,
  type AuthorizedSubject,
  authorizeSubject,
  type ExchangeDeps,
} from "./authorize-subject.ts";
import { type DownScopeRequest, downScope, scopesOf } from "./down-scope.ts";
import { auditDenial, auditExchange } from "./exchange-audit.ts";
import { Checks, invalidClaim } from "./verify/checks.ts";

/**
 * Gives a token of ours for the bearer token of the call, which is one of a platform that the
 * identity trusts, or one of ours. Leaves an audit row whatever comes of it.
 */
export function exchangeMethod(deps: ExchangeDeps, ofProvider: ProviderExchange): Handler {
  return async (call, message) => {
    const request = message as ExchangeRequest;
    const token = bearerToken(call.authorization, "the token to exchange");
    const seen: AuditedSubject = { identity: request.identity };
    try {
      await deps.keys.catchUp();
      const audiences = readAudiences(request.aud, deps.engine.settings, deps.addresses());
      if (request.identityProvider !== "") {
        return rawToken(await ofProvider(call, request, token, seen));
      }
      const presented = { token, identity: request.identity, time: call.time, audiences };
      const entitled = await authorizeSubject(deps, presented, Checks.failFast(), seen);
      if (entitled === undefined) throw invalidClaim("identity");
      seen.identity = entitled.identity.uid;
      const narrowing = { scopes: scopesOf(request), capabilities: request.cap };
      const limit = await boundaryOf(deps, entitled, narrowing);
      const issued = issueToken(
        deps.keys,
        deps.addresses(),
        {
          subject: entitled.identity.uid,
          audiences,
          expires: entitled.expires,
          ...(entitled.session ? personOf(entitled.claims) : { act: actorOf(entitled.claims) }),
          session: entitled.session,
          limit,
        },
        call.time,
      );
      await auditExchange(deps.engine, call, token, seen, entitled.identity);
      return rawToken(issued);
    } catch (thrown) {
      await auditDenial(deps.engine, call, token, seen, WharfError.from(thrown));
      throw thrown;
    }
  };
}

function rawToken({ token, expires }: { token: string; expires: number }): Reply {
  const expiry = timestampFromMs(expires);
  return messageReply(RawTokenSchema, create(RawTokenSchema, { token, expiry }));
}

/**
 * What a token for this entitlement may hold; undefined when that is all that its identity holds.
 */
export async function boundaryOf(
  { engine }: ExchangeDeps,
  { identity: { granted }, limit }: AuthorizedSubject,
  narrowing: DownScopeRequest,
): Promise<Grants | undefined> {
  const most = limit === undefined ? granted : granted.within(limit);
  return (await downScope(engine.store.reader, most, narrowing)) ?? limit;
}

function actorOf({ iss, sub, aud }: JWTPayload) {
  return { ...(iss && { iss }), ...(sub && { sub }), ...(aud && { aud }) };
}

/** A session's tokens all tell of the person, and how they logged in. */
function personOf({ act, email, email_verified: verified }: JWTPayload) {
  return {
    act: act as TokenContent["act"],
    email: typeof email === "string" ? { address: email, verified: verified === true } : undefined,
  };
}
