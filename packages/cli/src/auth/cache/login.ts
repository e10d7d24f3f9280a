/** A token and its expiration in milliseconds since 1970. */
export interface StoredToken {
  readonly token: string;
  readonly expires: number;
}

/** The method by which a login is renewed. */
export type Renewal =
  /** By the refresh token of a session, which is valid for one use. */
  | { readonly kind: "refresh"; readonly token: string }
  /** By exchanging another token of the same platform. */
  | { readonly kind: "exchange"; readonly from: WorkloadToken }
  /** Not at all. */
  | { readonly kind: "none" };

/** The source of a workload's own token. */
export type WorkloadToken =
  | { readonly kind: "ambient" }
  | { readonly kind: "file"; readonly path: string };

/** A stored login: one file per issuer and identity. */
export interface Login {
  readonly issuer: string;
  /** The API URL at sign-in. */
  readonly api: string;
  /** The UID of the identity. */
  readonly identity: string;
  readonly email?: string;
  readonly renewal: Renewal;
  /** Tokens by audience. */
  readonly tokens: Readonly<Record<string, StoredToken>>;
}

/** Tokens are renewed this long before they expire, so that none expires in transit. */
export const RENEWAL_MARGIN_MS = 60_000;

/** The stored token for an audience, unless it expires soon. */
export function freshToken(
  { tokens }: Pick<Login, "tokens">,
  audience: string,
  now: number,
): StoredToken | undefined {
  const stored = Object.hasOwn(tokens, audience) ? tokens[audience] : undefined;
  return stored && stored.expires - RENEWAL_MARGIN_MS > now ? stored : undefined;
}

/** Adds a token and drops expired ones. */
export function withToken(login: Login, audience: string, token: StoredToken, now: number): Login {
  const valid = Object.entries(login.tokens).filter(([, { expires }]) => expires > now);
  return { ...login, tokens: { ...Object.fromEntries(valid), [audience]: token } };
}

/** Parses a login file; undefined if it is invalid. */
export function parseLogin(text: string): Login | undefined {
  try {
    const login = JSON.parse(text) as Login;
    return isLogin(login) ? login : undefined;
  } catch {
    return undefined;
  }
}

function isLogin(login: Login): boolean {
  const { issuer, api, identity, renewal, tokens } = login;
  const texts = [issuer, api, identity].every((text) => typeof text === "string" && text !== "");
  return texts && isRenewal(renewal) && Object.values(tokens).every(isToken);
}

function isRenewal(renewal: Renewal): boolean {
  switch (renewal.kind) {
    case "refresh":
      return typeof renewal.token === "string";
    case "exchange":
      return renewal.from.kind === "ambient" || typeof renewal.from.path === "string";
    default:
      return renewal.kind === "none";
  }
}

function isToken({ token, expires }: StoredToken): boolean {
  return typeof token === "string" && Number.isFinite(expires);
}
