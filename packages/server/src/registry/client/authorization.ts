import { BoundedCache } from "../../lib/bounded-cache.ts";

/** The host of a registry as in names of images, and the origin of its API. */
export interface RegistryAddress {
  readonly host: string;
  readonly url: string;
}

/** A user name and a password, or a refresh token in place of both. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Docker's user name for a refresh token as the password. */
const REFRESH_TOKEN_USER = "<token>";

/** The lifetime of tokens whose response states none, by the specification. */
const DEFAULT_LIFETIME_S = 60;

/** More than the repositories that are read concurrently. */
const MAX_CACHED_TOKENS = 256;

/** Tokens are renewed this long before they expire. */
const MARGIN_MS = 20_000;

interface Token {
  readonly header: string;
  readonly expires: number;
}

/** Sends a request to a token endpoint, with retries, and returns its JSON. */
export type AskForToken = (url: URL, init: RequestInit) => Promise<unknown>;

/** A registry that gives no token, or asks for credentials where there are none. */
export class AuthorizationError extends Error {
  override readonly name = "AuthorizationError";
  readonly needsCredentials: boolean;

  constructor(text: string, needsCredentials = false) {
    super(text);
    this.needsCredentials = needsCredentials;
  }
}

/** The Authorization headers for a registry, by its challenges: Basic, or Bearer with a token for each scope. */
export class Authorization {
  readonly #registry: RegistryAddress;
  readonly #credentials: () => Promise<Credentials | undefined>;
  readonly #ask: AskForToken;
  readonly #tokens = new BoundedCache<string, Promise<Token>>({ maxEntries: MAX_CACHED_TOKENS });
  #challenge: string | undefined;

  constructor(
    registry: RegistryAddress,
    credentials: () => Promise<Credentials | undefined>,
    ask: AskForToken,
  ) {
    this.#registry = registry;
    this.#credentials = credentials;
    this.#ask = ask;
  }

  /** The header for a scope; undefined before the first challenge. */
  async headerFor(scope: string): Promise<string | undefined> {
    const challenge = this.#challenge;
    if (challenge === undefined) return undefined;
    const cached = await this.#tokens.get(scope);
    if (cached !== undefined && cached.expires > Date.now()) return cached.header;
    const token = this.#tokenFor(challenge, scope);
    this.#tokens.set(scope, token);
    token.catch(() => {
      this.#tokens.delete(scope);
      // Another one may name another token endpoint.
      this.#challenge = undefined;
    });
    return (await token).header;
  }

  /** Handles the WWW-Authenticate header of a 401: what was sent for this scope is no longer valid. */
  challenged(header: string | null, scope: string): void {
    this.#challenge = header ?? "";
    this.#tokens.delete(scope);
  }

  async #tokenFor(challenge: string, scope: string): Promise<Token> {
    const credentials = await this.#credentials();
    const bearer = /(?:^|[\s,])bearer\s+(.*)$/is.exec(challenge)?.[1];
    if (bearer !== undefined) return this.#bearerToken(bearer, scope, credentials);
    if (credentials !== undefined && /(?:^|[\s,])basic\b/i.test(challenge)) {
      return { header: basic(credentials), expires: Number.POSITIVE_INFINITY };
    }
    throw new AuthorizationError(`${this.#registry.host} requires credentials`, true);
  }

  /** Docker's token protocol: GET with Basic, or POST with a refresh token. */
  async #bearerToken(
    challenge: string,
    scope: string,
    credentials: Credentials | undefined,
  ): Promise<Token> {
    const { realm = "", service } = parametersOf(challenge);
    const url = URL.parse(realm);
    const isSecure = url?.protocol === "https:" || this.#registry.url.startsWith("http:");
    // The registry must not move credentials to a connection without TLS.
    if (url === null || !isSecure) {
      const text = `${this.#registry.host} has an invalid token endpoint: "${realm}"`;
      throw new AuthorizationError(text);
    }
    const query = { scope, ...(service !== undefined && { service }) };
    const answer = (await (credentials?.username === REFRESH_TOKEN_USER
      ? this.#ask(url, {
          method: "POST",
          body: new URLSearchParams({
            ...query,
            grant_type: "refresh_token",
            client_id: "wharf",
            refresh_token: credentials.password,
          }),
        })
      : this.#ask(withQuery(url, query), {
          headers: credentials === undefined ? {} : { authorization: basic(credentials) },
        }))) as { token?: string; access_token?: string; expires_in?: number } | null;
    const token = answer?.token ?? answer?.access_token;
    if (typeof token !== "string") throw new AuthorizationError(`${realm} returned no token`);
    const lifetimeMs = (Number(answer?.expires_in) || DEFAULT_LIFETIME_S) * 1000;
    return { header: `Bearer ${token}`, expires: Date.now() + lifetimeMs - MARGIN_MS };
  }
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function withQuery(url: URL, query: Record<string, string>): URL {
  const full = new URL(url);
  for (const [name, value] of Object.entries(query)) full.searchParams.set(name, value);
  return full;
}

function parametersOf(challenge: string): { readonly realm?: string; readonly service?: string } {
  const found = challenge.matchAll(/(\w+)="([^"]*)"/g);
  return Object.fromEntries(Array.from(found, ([, name, value]) => [name, value]));
}
