/** A token, and when it ends in milliseconds since 1970. */
export interface KeptToken {
  readonly token: string;
  readonly expires: number;
}

/** How a login gets its next token. */
export type Renewal =
  /** A person's session: good for one use, and followed by another. */
  | { readonly kind: "refresh"; readonly token: string }
  /** Another token of the same platform, exchanged again. */
  | { readonly kind: "exchange"; readonly from: WorkloadToken }
  /** Not at all: what it has is all there will be. */
  | { readonly kind: "none" };

/** Where a workload finds its own token. */
export type WorkloadToken =
  | { readonly kind: "ambient" }
  | { readonly kind: "file"; readonly path: string };

/** What is kept of a login: one file for each issuer and identity. */
export interface Login {
  readonly issuer: string;
  /** The API that was meant when it was made. */
  readonly api: string;
  /** The uid of who is logged in. */
  readonly identity: string;
  readonly email?: string;
  readonly renewal: Renewal;
  /** Tokens by whom they are meant for. */
  readonly tokens: Readonly<Record<string, KeptToken>>;
}

/** A token that ends this soon is replaced, so that none ends on its way. */
export const EARLY_MS = 60_000;

/** The token for an audience that can still be used for a while. */
export function freshToken(
  { tokens }: Pick<Login, "tokens">,
  audience: string,
  now: number,
): KeptToken | undefined {
  const kept = Object.hasOwn(tokens, audience) ? tokens[audience] : undefined;
  return kept && kept.expires - EARLY_MS > now ? kept : undefined;
}

/** The login with another token; those that have ended go. */
export function withToken(login: Login, audience: string, token: KeptToken, now: number): Login {
  const alive = Object.entries(login.tokens).filter(([, { expires }]) => expires > now);
  return { ...login, tokens: { ...Object.fromEntries(alive), [audience]: token } };
}

/** Reads what a file says; undefined where it is no login. */
export function parseLogin(text: string): Login | undefined {
  try {
    const read = JSON.parse(text) as Login;
    return isLogin(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isLogin(read: Login): boolean {
  const { issuer, api, identity, renewal, tokens } = read;
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

function isToken({ token, expires }: KeptToken): boolean {
  return typeof token === "string" && Number.isFinite(expires);
}
