import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ExchangeRequest,
  type Identity,
  literalIdentityUid,
  RawTokenSchema,
} from "@wharf/contract";
import type { JWTPayload } from "jose";
import type { Addresses } from "../addresses.ts";
import type { Grants } from "../auth/grants.ts";
import type { SigningKeys } from "../auth/keys.ts";
import { issueToken, type TokenVerifier } from "../auth/token.ts";
import { audit } from "../engine/audit.ts";
import type { Engine } from "../engine/engine.ts";
import { unauthenticated, WharfError } from "../errors.ts";
import { grantsOf } from "../iam/access.ts";
import type { Call, Handler } from "../rpc/call.ts";
import { messageReply } from "../rpc/reply.ts";
import { readAudiences } from "./audiences.ts";
import { limitFor } from "./narrow.ts";
import { compileRule } from "./rule.ts";
import {
  firstFailure,
  invalid,
  type KeySource,
  readToken,
  type Unverified,
  verifyUpstream,
} from "./upstream.ts";

/** What the exchange works with. */
export interface ExchangeParts {
  readonly engine: Engine;
  readonly keys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly source: KeySource;
  addresses(): Addresses;
}

/** What a presented token entitles to. */
interface Entitlement {
  readonly identity: string;
  readonly claims: JWTPayload;
  /** When the right to it ends. */
  readonly expires: number;
  /** What the presented token was narrowed to. */
  readonly limit: Grants | undefined;
}

/**
 * Gives a token of ours for the bearer token of the call, which is one of a platform that the
 * identity trusts, or one of ours. Leaves an audit row whatever comes of it.
 *
 * @example handlers.set(SecurityTokenService.method.exchange, exchangeMethod(parts));
 */
export function exchangeMethod(parts: ExchangeParts): Handler {
  return async (call, message) => {
    const request = message as ExchangeRequest;
    const token = bearerToken(call.authorization);
    const seen: { identity: string; issuer?: string; subject?: string } = {
      identity: request.identity,
    };
    try {
      const read = readToken(token);
      seen.issuer = read.issuer;
      if (read.claims.sub !== undefined) seen.subject = read.claims.sub;
      const audiences = readAudiences(request.aud, parts.engine.settings, parts.addresses());
      const entitled = await entitlement(parts, call, request, read);
      seen.identity = entitled.identity;
      const limit = await limitOf(parts, request, entitled);
      const issued = await issueToken(
        parts.keys,
        parts.addresses(),
        {
          subject: entitled.identity,
          audiences,
          expires: entitled.expires,
          act: actorOf(entitled.claims),
          ...(limit === undefined ? {} : { limit }),
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

function bearerToken(authorization: string | undefined): string {
  const [scheme, token] = (authorization ?? "").split(" ");
  if (scheme?.toLowerCase() === "bearer" && token) return token;
  throw unauthenticated("the token to exchange must be the bearer token");
}

/** Finds out whom the token may become. */
function entitlement(
  parts: ExchangeParts,
  call: Call,
  request: ExchangeRequest,
  read: Unverified,
): Promise<Entitlement> {
  const own = read.issuer === parts.addresses().authUrl;
  if (own && request.identity === "") return ownEntitlement(parts, call, read);
  return trustedEntitlement(parts, call, request.identity, read, own);
}

/** A token of ours speaks for its own identity: for no longer, and no more, than it already does. */
async function ownEntitlement(
  { verifier }: ExchangeParts,
  { time }: Call,
  read: Unverified,
): Promise<Entitlement> {
  const { subject, expires, limit } = await verifier.verifyAnyAudience(read.token, time);
  return { identity: subject, claims: read.claims, expires, limit };
}

async function trustedEntitlement(
  { engine, source, addresses, verifier }: ExchangeParts,
  { time }: Call,
  asked: string,
  read: Unverified,
  own: boolean,
): Promise<Entitlement> {
  const uid = asked || literalIdentityUid(read.issuer, read.claims.sub ?? "");
  const identity = await engine.identities.find(engine.store.reader, uid);
  const rule = identity && compileRule(identity, acceptedAudiences(addresses()));
  if (rule === undefined) throw invalid("identity");
  if (rule.expires !== undefined && rule.expires <= time) throw invalid("identity");
  // A token that was made to do little must not become an identity that does much.
  if (own && (await verifier.verifyAnyAudience(read.token, time)).limit) throw invalid("cap");
  const claims = own ? read.claims : await verifyUpstream(read, rule, source, time);
  const refused = firstFailure(rule.check(claims));
  if (refused !== undefined) throw refused;
  return {
    identity: uid,
    claims,
    expires: rule.expires ?? Number.POSITIVE_INFINITY,
    limit: undefined,
  };
}

/** The audiences of tokens that are meant for us, where an identity names none. */
function acceptedAudiences({ authUrl }: Addresses): string[] {
  const { host, hostname } = new URL(authUrl);
  return [hostname, host, authUrl];
}

async function limitOf(
  { engine }: ExchangeParts,
  request: ExchangeRequest,
  { identity, limit }: Entitlement,
): Promise<Grants | undefined> {
  const scopes = [...request.scopes, ...(request.scope === "" ? [] : [request.scope])];
  const granted = await grantsOf(engine, identity);
  if (granted === undefined) throw invalid("identity");
  const most = limit === undefined ? granted : granted.within(limit);
  return limitFor(most, { scopes, capabilities: request.cap }) ?? limit;
}

function actorOf({ iss, sub, aud }: JWTPayload) {
  return { ...(iss && { iss }), ...(sub && { sub }), ...(aud && { aud }) };
}

/** Notes that the identity was seen, with the audit row, in one transaction. */
async function recordUse(
  engine: Engine,
  call: Call,
  token: string,
  seen: { identity: string },
): Promise<void> {
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
  seen: { identity: string },
  { number: code, message }: WharfError,
): Promise<void> {
  const detail = { ...seen, tokenSha256: fingerprint(token), refused: message };
  await engine.store.write((tx) => audit(tx, call, { resource: seen.identity, code, detail }));
}

function fingerprint(token: string): string {
  return hash("sha256", token, "hex");
}
