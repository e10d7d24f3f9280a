import { randomUUID } from "node:crypto";
import type { SigningKeys } from "../../auth/keys.ts";
import { TOKEN_LIFETIME_MS } from "../../auth/keys.ts";
import { browserSignInOf, type StoredSignIn } from "../../auth/recent-sign-in.ts";
import type { RefreshTokens } from "../../auth/refresh-token.ts";
import { issueToken, type TokenContent } from "../../auth/token.ts";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import { audit, truncateUserAgent } from "../../engine/audit/audit.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import { isInFuture } from "../../lib/clock-skew.ts";
import { unauthenticated } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import {
  addSession,
  describePerson,
  endSession,
  findSession,
  type StoredSession,
} from "../../store/tables/login/sessions.ts";
import { readAudiences } from "../../sts/audiences.ts";
import type { ExchangeDeps } from "../../sts/authorize-subject.ts";
import { type DownScopeRequest, downScope, resolveScopes } from "../../sts/down-scope.ts";
import { invalidClaim } from "../../sts/verify/checks.ts";
import { assumeIdentity } from "./assume-identity.ts";
import { type IdTokenRequest, signIdToken } from "./id-token.ts";
import type { Person, PersonClaims } from "./person.ts";
import { renew } from "./renew-session.ts";

const DAY_MS = 24 * 3_600_000;

/** Refresh tokens expire after this time without use. */
const IDLE_MS = 7 * DAY_MS;

/** The generation of sessions without refresh tokens. */
const NOT_REFRESHABLE = -1;

export interface SessionDeps extends ResourceAccess {
  readonly settings: Settings;
  readonly keys: SigningKeys;
  readonly refreshTokens: RefreshTokens;
  readonly exchange: ExchangeDeps;
  addresses(): Addresses;
}

/** The request for an access token of a session. */
export interface TokenRequest extends DownScopeRequest {
  /** The audiences; empty for the API. */
  readonly audiences: readonly string[];
  /** The latest expiry time, in milliseconds since 1970; an hour from now by default. */
  readonly expires?: number;
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

/** The stored facts about the person and the request of a session. */
interface StoredPerson extends PersonClaims, StoredSignIn {
  /** The uids of the groups that the session is restricted to; empty for all. */
  readonly scopes?: readonly string[];
  /** The uid of the identity that the session assumes; undefined for the person's own. */
  readonly assumes?: string | undefined;
  /**
   * The OIDC client that the ID token was issued to: decides which organizations accept the
   * session.
   */
  readonly clientId?: string | undefined;
}

/** The parameters of a new session. */
export interface SessionRequest {
  /** Groups, by uid or name; empty for all. */
  readonly scopes?: readonly string[];
  /** The uid of the identity to assume; empty for the person's own. */
  readonly identity?: string;
  /** Whether it is the session of a browser, where some methods need a recent sign-in. */
  readonly isBrowser?: boolean;
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
    request: SessionRequest = {},
  ): Promise<StoredSession> {
    const { catalog, settings } = this.#deps;
    const { identity, provider, clientId, mappings, act, email, profile, signedIn } = person;
    // The identity may have been deleted since the sign-in.
    if (!(await catalog.identities.table.keep(tx, identity))) throw hasEnded();
    const mapped = mappings.length > 0;
    const assumes = request.identity === identity ? undefined : request.identity || undefined;
    const { isBrowser = false } = request;
    const stored: StoredPerson = { act, email, profile, clientId, assumes, signedIn, isBrowser };
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
      person: JSON.stringify(stored),
      remoteAddress: call.remoteAddress,
      userAgent: truncateUserAgent(call.userAgent),
    };
    await addSession(tx, session);
    const detail = { session: session.id, provider, issuer: act.iss, subject: act.sub, mappings };
    await audit(tx, call, {
      action: "login",
      resource: identity,
      actor: identity,
      detail: { ...detail, ...(assumes && { assumes }) },
    });
    if (!request.scopes?.length) return session;
    const scopes = await this.#resolve(tx, session, assumes ?? identity, request.scopes);
    const restricted = { ...session, person: JSON.stringify({ ...stored, scopes }) };
    await describePerson(tx, session.id, restricted.person);
    return restricted;
  }

  /** Names are resolved once: renaming a group must not change what a session is restricted to. */
  async #resolve(
    tx: Transaction,
    { id }: StoredSession,
    identity: string,
    scopes: readonly string[],
  ): Promise<string[]> {
    const granted = await this.#deps.access.grantsOf(identity, tx, id);
    if (granted === undefined) throw invalidClaim("identity");
    return resolveScopes(tx, granted, scopes);
  }

  /** The first access token of a session, which ends if there is none. */
  async firstToken(
    call: Call,
    session: StoredSession,
    request: TokenRequest,
  ): Promise<IssuedToken> {
    try {
      return await this.accessToken(call, session, request);
    } catch (thrown) {
      await this.#deps.store.write((tx) => endSession(tx, session.id));
      throw thrown;
    }
  }

  /** Issues an access token, valid for an hour and never longer than the session. */
  async accessToken(
    call: Call,
    session: StoredSession,
    tokenRequest: TokenRequest,
  ): Promise<IssuedToken> {
    const { settings, addresses, exchange } = this.#deps;
    const { baseUrl, authUrl } = addresses();
    const requested = tokenRequest.audiences.length === 0 ? [baseUrl] : tokenRequest.audiences;
    const request = { ...tokenRequest, audiences: readAudiences(requested, settings, addresses()) };
    const { assumes, scopes = [] } = JSON.parse(session.person) as StoredPerson;
    if (assumes === undefined) return this.#ownToken(session, scopes, request, call.time);
    const forIssuer = { audiences: [authUrl], scopes: [], capabilities: [] };
    const { token } = await this.#ownToken(session, [], forIssuer, call.time);
    return assumeIdentity(exchange, call, token, { identity: assumes, scopes }, request);
  }

  /** Issues an ID token, valid as long as an access token. */
  async idToken(call: Call, session: StoredSession, request: IdTokenRequest): Promise<string> {
    const { keys, addresses } = this.#deps;
    const forIssuer = { audiences: [addresses().authUrl], scopes: [], capabilities: [] };
    const { token } = await this.accessToken(call, session, forIssuer);
    return signIdToken(keys, token, session, request);
  }

  async #ownToken(
    session: StoredSession,
    scopes: readonly string[],
    request: TokenRequest,
    now: number,
  ): Promise<IssuedToken> {
    const { access, store, keys, addresses } = this.#deps;
    const granted = await access.grantsOf(session.identity, undefined, session.id);
    if (granted === undefined) throw hasEnded();
    const { act, email } = JSON.parse(session.person) as StoredPerson;
    const { reader } = store;
    const most = await downScope(reader, granted, { scopes, capabilities: [] });
    const within = most === undefined ? granted : granted.intersect(most);
    const content: TokenContent = {
      subject: session.identity,
      audiences: request.audiences,
      expires: Math.min(session.expires, request.expires ?? session.expires),
      act,
      email,
      session: session.id,
      signedIn: browserSignInOf(session),
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
    const { store, keys, refreshTokens } = this.#deps;
    // Another replica may have rotated the secret of refresh tokens.
    await keys.reloadIfChanged();
    const token = refreshTokens.read(text, call.time);
    const session = await findSession(store.reader, token.session);
    if (session === undefined) throw hasEnded();
    // The session was used last when this token was issued.
    if (isInFuture(session.used, call.time)) throw issuedInFuture();
    const access = await this.accessToken(call, session, request);
    const renewed = await store.write((tx) => renew(tx, call, token));
    if (renewed === undefined) throw hasEnded();
    return { access, refresh: this.refreshToken(renewed, call.time) };
  }
}

function issuedInFuture(): Error {
  return unauthenticated(
    "the refresh token was issued in the future: check the clocks of all servers",
  );
}

function hasEnded(): Error {
  return unauthenticated("the session has ended");
}
