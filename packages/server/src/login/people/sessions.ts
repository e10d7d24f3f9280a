import { randomUUID } from "node:crypto";
import type { SigningKeys } from "../../auth/keys.ts";
import { TOKEN_LIFETIME_MS } from "../../auth/keys.ts";
import { maySignIn } from "../../auth/provisioning.ts";
import type { RefreshToken, RefreshTokens } from "../../auth/refresh-token.ts";
import { issueToken } from "../../auth/token.ts";
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
import type { Described, Person } from "./person.ts";

const DAY_MS = 24 * 3_600_000;

/** A refresh token that nobody uses for this long is of no use any more. */
const IDLE_MS = 7 * DAY_MS;

/** The generation of sessions that cannot be refreshed. */
const NEVER_REFRESHED = -1;

export interface SessionDeps {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly keys: SigningKeys;
  readonly refreshTokens: RefreshTokens;
  addresses(): Addresses;
}

/** What an access token of a session is wanted for. */
export interface Wanted extends DownScopeRequest {
  /** Whom it is meant for; the API when nobody is named. */
  readonly audiences: readonly string[];
}

/** What a login or a refresh gives. */
export interface TokensOfSession {
  readonly access: Issued;
  readonly refresh: Issued | undefined;
}

export interface Issued {
  readonly token: string;
  readonly expires: number;
}

/** What is kept with a session: who logged in, and what for. */
interface Kept extends Described {
  /** The groups that the login was narrowed to; all where there are none. */
  readonly scopes?: readonly string[];
  /** The OIDC client that the provider's ID token was made for: decides where the session counts. */
  readonly clientId?: string | undefined;
}

/** Opens sessions for people who have logged in, and gives the tokens that come of them. */
export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /**
   * Opens a session, of which no token holds anything outside of its scopes if it has some. One that
   * rests on the provider's groups lasts an hour and cannot be refreshed: the next login looks at the
   * groups again.
   */
  async open(
    tx: Transaction,
    call: Call,
    person: Person,
    scopes: readonly string[] = [],
  ): Promise<StoredSession> {
    const { engine, settings } = this.#deps;
    const { identity, provider, clientId, mappings, act, email, profile } = person;
    // They may have been deleted between their login and its end.
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
      generation: mapped ? NEVER_REFRESHED : 0,
      mappings: JSON.stringify(mappings),
      person: JSON.stringify({ act, email, profile, scopes, clientId } satisfies Kept),
      remoteAddress: call.remoteAddress,
      userAgent: truncateUserAgent(call.userAgent),
    };
    await addSession(tx, session);
    const detail = { session: session.id, provider, issuer: act.iss, subject: act.sub, mappings };
    await audit(tx, call, { action: "login", resource: identity, actor: identity, detail });
    return session;
  }

  /** An access token of a session, valid for an hour and never longer than the session. */
  async accessToken(session: StoredSession, wanted: Wanted, now: number): Promise<Issued> {
    const { engine, settings, keys, addresses } = this.#deps;
    const { baseUrl } = addresses();
    const asked = wanted.audiences.length === 0 ? [baseUrl] : wanted.audiences;
    const audiences = readAudiences(asked, settings, addresses());
    const granted = await engine.access.grantsOf(session.identity, undefined, session.id);
    if (granted === undefined) throw hasEnded();
    const { act, email, scopes = [] } = JSON.parse(session.person) as Kept;
    const { reader } = engine.store;
    const most = await downScope(reader, granted, { scopes, capabilities: [] });
    const within = most === undefined ? granted : granted.intersect(most);
    const content = {
      subject: session.identity,
      audiences,
      expires: session.expires,
      act,
      email,
      session: session.id,
      limit: (await downScope(reader, within, wanted)) ?? most,
    };
    await keys.reloadIfChanged();
    return issueToken(keys, addresses(), content, now);
  }

  /** The refresh token that goes on with a session; undefined for those that cannot. */
  refreshToken({ id, generation, expires }: StoredSession, now: number): Issued | undefined {
    if (generation === NEVER_REFRESHED) return undefined;
    const ends = Math.min(expires, now + IDLE_MS);
    const token = this.#deps.refreshTokens.write({ session: id, generation, expires: ends });
    return { token, expires: ends };
  }

  /**
   * The next access and refresh token of a session. What is asked for is looked at first: a slip
   * must not cost the session.
   */
  async refresh(call: Call, text: string, wanted: Wanted): Promise<TokensOfSession> {
    const { engine, keys, refreshTokens } = this.#deps;
    // The secret of refresh tokens may have been replaced on another replica.
    await keys.reloadIfChanged();
    const token = refreshTokens.read(text, call.time);
    const session = await findSession(engine.store.reader, token.session);
    if (session === undefined) throw hasEnded();
    const access = await this.accessToken(session, wanted, call.time);
    const renewed = await engine.store.write((tx) => renew(tx, call, token));
    if (renewed === undefined) throw hasEnded();
    return { access, refresh: this.refreshToken(renewed, call.time) };
  }
}

/**
 * Goes on with a session. Whoever brings a refresh token that was spent before has it from someone
 * else, or someone else has it from them: the session ends for both.
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
 * Whether a person may still come through their provider; a local account has none. Deactivating a
 * person ends their sessions; this is for those who were never provisioned.
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
