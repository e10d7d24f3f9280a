import { randomUUID } from "node:crypto";
import type { SigningKeys } from "../../auth/keys.ts";
import { TOKEN_LIFETIME_MS } from "../../auth/keys.ts";
import { maySignIn } from "../../auth/provisioning.ts";
import type { RefreshToken, RefreshTokens } from "../../auth/refresh-token.ts";
import { issueToken, type TokenContent } from "../../auth/token.ts";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import { audit, truncateUserAgent, UNAUTHENTICATED } from "../../engine/audit.ts";
import type { Engine } from "../../engine/engine.ts";
import { unauthenticated } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { externalIdOf } from "../../store/tables/provider-people.ts";
import {
  addSession,
  endSession,
  findSession,
  findSessionForChange,
  renewSession,
  type StoredSession,
} from "../../store/tables/sessions.ts";
import { readAudiences } from "../../sts/audiences.ts";
import { type DownScopeRequest, downScope } from "../../sts/down-scope.ts";
import type { Person, PersonClaims } from "./person.ts";

const DAY_MS = 24 * 3_600_000;

/** Refresh tokens expire after this time without use. */
const IDLE_MS = 7 * DAY_MS;

/** The generation of sessions without refresh tokens. */
const NOT_REFRESHABLE = -1;

export interface SessionDeps {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly keys: SigningKeys;
  readonly refreshTokens: RefreshTokens;
  addresses(): Addresses;
}

/** The request for an access token of a session. */
export interface TokenRequest extends DownScopeRequest {
  /** The audiences; empty for the API. */
  readonly audiences: readonly string[];
}

/** The tokens of a sign-in or refresh. */
export interface SessionTokens {
  readonly access: IssuedToken;
  readonly refresh: IssuedToken | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly expires: number;
}

/** What a session stores about the person and the request. */
interface StoredPerson extends PersonClaims {
  /** The groups that the session is restricted to; empty for all. */
  readonly scopes?: readonly string[];
  /**
   * The OIDC client that the ID token was issued to: decides which organizations accept the
   * session.
   */
  readonly clientId?: string | undefined;
}

/** Opens sessions of people and issues their tokens. */
export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session, restricted to scopes if there are any. A session with group mappings lasts an
   * hour and cannot be refreshed: the next sign-in evaluates the groups again.
   */
  async open(
    tx: Transaction,
    call: Call,
    person: Person,
    scopes: readonly string[] = [],
  ): Promise<StoredSession> {
    const { engine, settings } = this.#deps;
    const { identity, provider, clientId, mappings, act, email, profile } = person;
    // The identity may have been deleted since the sign-in.
    if (!(await engine.catalog.identities.table.keep(tx, identity))) throw hasEnded();
    const mapped = mappings.length > 0;
    const lifetime = mapped ? TOKEN_LIFETIME_MS : settings.sessionDays * DAY_MS;
    const session: StoredSession = {
      id: randomUUID(),
      identity,
      provider,
      created: call.time,
      used: call.time,
      expires: call.time + lifetime,
      generation: mapped ? NOT_REFRESHABLE : 0,
      mappings: JSON.stringify(mappings),
      person: JSON.stringify({ act, email, profile, scopes, clientId } satisfies StoredPerson),
      remoteAddress: call.remoteAddress,
      userAgent: truncateUserAgent(call.userAgent),
    };
    await addSession(tx, session);
    const detail = { session: session.id, provider, issuer: act.iss, subject: act.sub, mappings };
    await audit(tx, call, { action: "login", resource: identity, actor: identity, detail });
    return session;
  }

  /** Issues an access token, valid for an hour and never longer than the session. */
  async accessToken(
    session: StoredSession,
    request: TokenRequest,
    now: number,
  ): Promise<IssuedToken> {
    const { engine, settings, keys, addresses } = this.#deps;
    const { baseUrl } = addresses();
    const requested = request.audiences.length === 0 ? [baseUrl] : request.audiences;
    const audiences = readAudiences(requested, settings, addresses());
    const granted = await engine.access.grantsOf(session.identity, undefined, session.id);
    if (granted === undefined) throw hasEnded();
    const { act, email, scopes = [] } = JSON.parse(session.person) as StoredPerson;
    const { reader } = engine.store;
    const most = await downScope(reader, granted, { scopes, capabilities: [] });
    const within = most === undefined ? granted : granted.intersect(most);
    const content: TokenContent = {
      subject: session.identity,
      audiences,
      expires: session.expires,
      act,
      email,
      session: session.id,
      boundary: (await downScope(reader, within, request)) ?? most,
    };
    await keys.reloadIfChanged();
    return issueToken(keys, addresses(), content, now);
  }

  /** The next refresh token; undefined if the session cannot be refreshed. */
  refreshToken({ id, generation, expires }: StoredSession, now: number): IssuedToken | undefined {
    if (generation === NOT_REFRESHABLE) return undefined;
    const ends = Math.min(expires, now + IDLE_MS);
    const token = this.#deps.refreshTokens.write({ session: id, generation, expires: ends });
    return { token, expires: ends };
  }

  /**
   * Refreshes a session. The request is validated first, so that an invalid one does not use up the
   * refresh token.
   */
  async refresh(call: Call, text: string, request: TokenRequest): Promise<SessionTokens> {
    const { engine, keys, refreshTokens } = this.#deps;
    // Another replica may have rotated the secret of refresh tokens.
    await keys.reloadIfChanged();
    const token = refreshTokens.read(text, call.time);
    const session = await findSession(engine.store.reader, token.session);
    if (session === undefined) throw hasEnded();
    const access = await this.accessToken(session, request, call.time);
    const renewed = await engine.store.write((tx) => renew(tx, call, token));
    if (renewed === undefined) throw hasEnded();
    return { access, refresh: this.refreshToken(renewed, call.time) };
  }
}

/**
 * Renews a session. A refresh token that was used before has been stolen, so the session ends for
 * both the owner and the thief.
 */
async function renew(
  tx: Transaction,
  call: Call,
  token: RefreshToken,
): Promise<StoredSession | undefined> {
  const found = await findSessionForChange(tx, token.session);
  if (found === undefined || found.expires <= call.time) return undefined;
  const { id, identity } = found;
  const detail = { session: id };
  if (found.generation !== token.generation) {
    await endSession(tx, id);
    const action = "refresh token used twice";
    await audit(tx, call, { action, resource: identity, code: UNAUTHENTICATED, detail });
    return undefined;
  }
  if (!(await mayStillSignIn(tx, found.provider, identity))) {
    await endSession(tx, id);
    const action = "refresh by someone who is not provisioned any more";
    await audit(tx, call, { action, resource: identity, code: UNAUTHENTICATED, detail });
    return undefined;
  }
  const generation = found.generation + 1;
  await renewSession(tx, id, generation, call.time);
  await audit(tx, call, { action: "refresh", resource: identity, actor: identity, detail });
  return { ...found, generation, used: call.time };
}

/**
 * Whether a person may still sign in through their identity provider; always true for local
 * accounts. Deactivation ends sessions; this covers people who were never provisioned.
 */
export async function mayStillSignIn(
  reader: Reader,
  provider: string,
  identity: string,
): Promise<boolean> {
  if (provider === "") return true;
  return maySignIn(reader, provider, await externalIdOf(reader, provider, identity));
}

function hasEnded(): Error {
  return unauthenticated("the session has ended");
}
