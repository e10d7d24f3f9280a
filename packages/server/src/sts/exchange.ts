import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type ExchangeRequest, type Identity, RawTokenSchema } from "@wharf/contract";
import type { JWTPayload } from "jose";
import type { Grants } from "../auth/grants.ts";
import { issueToken, type TokenContent } from "../auth/token.ts";
import { audit } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import { WharfError } from "../errors.ts";
import { bearerToken } from "../rpc/bearer.ts";
import type { Call, Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { readAudiences } from "./audiences.ts";
import { type Entitlement, type ExchangeParts, entitlementOf, type Seen } from "./entitlement.ts";
import { limitFor, scopesOf } from "./narrow.ts";
import { invalid } from "./upstream.ts";

/**
 * Gives a token of ours for the bearer token of the call, which is one of a platform that the
 * identity trusts, or one of ours. Leaves an audit row whatever comes of it.
 *
 * @example handlers.set(SecurityTokenService.method.exchange, exchangeMethod(parts));
 */
export function exchangeMethod(parts: ExchangeParts): Handler {
  return async (call, message) => {
    const request = message as ExchangeRequest;
    const token = bearerToken(call.authorization, "the token to exchange");
    const seen: Seen = { identity: request.identity };
    try {
      const audiences = readAudiences(request.aud, parts.engine.settings, parts.addresses());
      const entitled = await entitlementOf(parts, call, request, token, seen);
      seen.identity = entitled.identity;
      const limit = await limitOf(parts, request, entitled);
      const issued = await issueToken(
        parts.keys,
        parts.addresses(),
        {
          subject: entitled.identity,
          audiences,
          expires: entitled.expires,
          ...(entitled.session ? personOf(entitled.claims) : { act: actorOf(entitled.claims) }),
          session: entitled.session,
          limit,
        },
        call.time,
      );
      await recordUse(parts.engine, call, token, seen);
      const expiry = timestampFromMs(issued.expires);
      return messageReply(RawTokenSchema, create(RawTokenSchema, { token: issued.token, expiry }));
    } catch (thrown) {
      await recordRefusal(parts.engine, call, token, seen, WharfError.from(thrown));
      throw thrown;
    }
  };
}

async function limitOf(
  { engine }: ExchangeParts,
  request: ExchangeRequest,
  { identity, limit, session }: Entitlement,
): Promise<Grants | undefined> {
  const scopes = scopesOf(request);
  const granted = await engine.grantsOf(identity, undefined, session);
  if (granted === undefined) throw invalid("identity");
  const most = limit === undefined ? granted : granted.within(limit);
  return limitFor(most, { scopes, capabilities: request.cap }) ?? limit;
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

/** Notes that the identity was seen, with the audit row, in one transaction. */
async function recordUse(engine: Engine, call: Call, token: string, seen: Seen): Promise<void> {
  await engine.store.write(async (tx) => {
    const row = await engine.identities.table.findForChange(tx, seen.identity);
    if (row !== undefined) {
      const identity: Identity = engine.identities.fromRow(row);
      identity.lastSeenTime = timestampFromMs(call.time);
      await engine.identities.table.update(tx, engine.identities.toRow(identity));
    }
    const detail = { ...seen, tokenSha256: fingerprint(token) };
    await audit(tx, call, { resource: seen.identity, actor: seen.identity, detail });
  });
}

async function recordRefusal(
  engine: Engine,
  call: Call,
  token: string,
  seen: Seen,
  { number: code, message }: WharfError,
): Promise<void> {
  const detail = { ...seen, tokenSha256: fingerprint(token), refused: message };
  await engine.store.write((tx) => audit(tx, call, { resource: seen.identity, code, detail }));
}

function fingerprint(token: string): string {
  return hash("sha256", token, "hex");
}
