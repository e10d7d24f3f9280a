import { type IdentityProvider, rootOf } from "@wharf/contract";
import type { ClientAuth, Configuration, UserInfoResponse } from "openid-client";
import { isRecentSignIn } from "../../auth/recent-sign-in.ts";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import { CLIENT_SECRET } from "../../iam/identity-providers.ts";
import { failedPrecondition, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/net/fetch-json.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { IssuerPolicy } from "../../sts/issuers/issuer-policy.ts";
import { isNotInFuture } from "../../sts/verify/time-claims.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { type Claims, type ProviderClaims, providerClaimsOf } from "./provider-claims.ts";

/** The redirect URI of all identity providers. */
export const CALLBACK_PATH = "/oauth/callback";

/** The state of an authorization request, to verify the callback. */
export interface Upstream {
  /** The uid of the provider. */
  readonly provider: string;
  readonly verifier: string;
  readonly nonce: string;
}

const DAY_SECONDS = 24 * 3_600;

/** Loaded lazily: a few hundred kilobytes that only sign-ins need. */
const library = () => import("openid-client");

export interface ProviderLoginDeps extends ResourceStore {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerPolicy;
  addresses(): Addresses;
}

/** Signs people in at identity providers with OpenID Connect. */
export class ProviderLogin {
  readonly #deps: ProviderLoginDeps;

  constructor(deps: ProviderLoginDeps) {
    this.#deps = deps;
  }

  /**
   * The authorization URL. `stateFor` creates the state parameter, which must keep what the callback is verified with.
   * For a new sign-in, the provider must ask even users with a session there. All others must have signed in there
   * within the lifetime of a session: providers say when (`auth_time`) where a limit is set.
   */
  async begin(
    provider: IdentityProvider,
    stateFor: (upstream: Upstream) => string,
    isRenewal = false,
  ): Promise<string> {
    const client = await library();
    const config = await this.#configure(provider);
    const verifier = client.randomPKCECodeVerifier();
    const nonce = client.randomNonce();
    const scopes = [
      "openid",
      "email",
      "profile",
      ...(provider.configuration.value?.additionalScopes ?? []),
    ];
    // PKCE with every provider: those without support ignore it.
    const parameters = {
      redirect_uri: `${this.#deps.addresses().authUrl}${CALLBACK_PATH}`,
      scope: [...new Set(scopes)].join(" "),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state: stateFor({ provider: provider.uid, verifier, nonce }),
      nonce,
      ...(isRenewal
        ? { prompt: "login", max_age: "0" }
        : { max_age: String(this.#deps.settings.sessionDays * DAY_SECONDS) }),
    };
    return authorizationUrlOf(client, config, parameters).href;
  }

  /**
   * Handles the callback: redeems the code and verifies the ID token, which must be issued to us
   * for this login.
   */
  async finish(
    provider: IdentityProvider,
    { verifier, nonce }: Upstream,
    state: string,
    query: string,
    isRenewal = false,
  ): Promise<ProviderClaims> {
    const client = await library();
    const config = await this.#configure(provider);
    const current = new URL(`${this.#deps.addresses().authUrl}${CALLBACK_PATH}?${query}`);
    try {
      const tokens = await client.authorizationCodeGrant(config, current, {
        pkceCodeVerifier: verifier,
        expectedNonce: nonce,
        expectedState: state,
        idTokenExpected: true,
      });
      const claims: Claims = tokens.claims() ?? {};
      // The library accepts ID tokens that were issued in the future.
      if (!isNotInFuture(claims.iat, Date.now()))
        throw new Error('the ID token\'s "iat" is missing or in the future');
      const requiredClaim = provider.configuration.value?.groupsClaim ?? "";
      const complete =
        claims.email !== undefined && (requiredClaim === "" || claims[requiredClaim] !== undefined);
      const more = complete ? {} : await this.#userInfo(config, tokens.access_token, claims);
      const described = providerClaimsOf(
        provider,
        { ...more, ...claims },
        claims.email === undefined ? more : claims,
      );
      if (isRenewal) requireNewSignIn(described, Date.now());
      return described;
    } catch (error) {
      throw providerError(error);
    }
  }

  async #userInfo(config: Configuration, token: string, { sub }: Claims): Promise<Claims> {
    if (config.serverMetadata().userinfo_endpoint === undefined) return {};
    const client = await library();
    const info: UserInfoResponse = await client.fetchUserInfo(config, token, String(sub));
    return info;
  }

  async #configure(provider: IdentityProvider): Promise<Configuration> {
    const { configuration, uid } = provider;
    if (configuration.case !== "oidc") {
      const description = "the identity provider has no configuration";
      throw failedPrecondition({ type: "NOT_CONFIGURED", description });
    }
    const { issuer, clientId } = configuration.value;
    const { store, issuerPolicy: policy, secrets } = this.#deps;
    if (!policy.mayTrust(issuer)) {
      const description = "this installation does not trust the identity provider";
      throw failedPrecondition({ type: "ISSUER_NOT_TRUSTED", description });
    }
    const client = await library();
    const secret = await secrets.get(store.reader, uid, CLIENT_SECRET);
    try {
      const config = await discover(policy, issuer, clientId, secret);
      client.enableNonRepudiationChecks(config);
      await this.#requireMixUpDefense(uid, config);
      return config;
    } catch (error) {
      throw providerError(error);
    }
  }

  /**
   * Reads the discovery document and the keys of an issuer, as a sign-in would with a provider in a group. Rejects with
   * what would keep people from signing in. Returns where they would.
   */
  async check(issuer: string, group: string): Promise<string> {
    const { issuerPolicy: policy } = this.#deps;
    try {
      const config = await discover(policy, issuer, "check", undefined);
      const { authorization_endpoint: endpoint, ...metadata } = config.serverMetadata();
      for (const name of ["token_endpoint", "jwks_uri"] as const) {
        if (metadata[name] === undefined) throw new FetchError(`its metadata has no ${name}`);
      }
      const keys = await guardedFetch(policy, issuer)(metadata.jwks_uri ?? "", {});
      const { keys: list } = ((await keys.json()) ?? {}) as { keys?: unknown };
      if (!keys.ok || !Array.isArray(list)) throw new FetchError("its keys cannot be read");
      const { protocol } = URL.parse(endpoint ?? "") ?? {};
      if (protocol !== "https:" && protocol !== "http:") throw noAuthorizationEndpoint();
      await this.#requireMixUpDefense(group, config);
      return endpoint ?? "";
    } catch (error) {
      throw providerError(error, "cannot be used");
    }
  }

  /**
   * Prevents mix-up attacks: all providers share one redirect URI, so a malicious provider could
   * lead a person to another provider and receive its code. The library checks providers that
   * identify themselves in their responses (RFC 9207). All others must belong to an organization
   * that the operator has verified, unless the operator alone decides which providers are trusted.
   */
  async #requireMixUpDefense(uid: string, config: Configuration): Promise<void> {
    const { catalog, store, settings } = this.#deps;
    const { groups } = catalog;
    if (config.serverMetadata().authorization_response_iss_parameter_supported === true) return;
    if (settings.rootGroups === "operator" || settings.trustedIssuers.length > 0) return;
    if ((await groups.find(store.reader, rootOf(uid)))?.verified) return;
    const description =
      "the identity provider does not identify itself in authorization responses (RFC 9207): the operator must verify its organization first";
    throw failedPrecondition({ type: "ORGANISATION_NOT_VERIFIED", description });
  }
}

/**
 * Rejects a renewal that the provider answered without asking. One that does not say when the person signed in is rejected,
 * too, although OpenID Connect requires it of an answer to `max_age`: the request passes through the browser, where it can
 * be changed, so nothing else proves that the person was asked.
 */
function requireNewSignIn({ signedIn }: ProviderClaims, now: number): void {
  if (isRecentSignIn(signedIn, now)) return;
  throw new WharfError(
    "PERMISSION_DENIED",
    signedIn === 0
      ? 'the identity provider does not say when you signed in: its ID tokens need the claim "auth_time"; until then, use the wharf command'
      : "the identity provider did not ask you to sign in again",
  );
}

/** The authorization URL; the provider's metadata may contain nonsense or a script URL. */
function authorizationUrlOf(
  client: typeof import("openid-client"),
  config: Configuration,
  parameters: Record<string, string>,
): URL {
  try {
    const url = client.buildAuthorizationUrl(config, parameters);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // Handled below.
  }
  throw noAuthorizationEndpoint();
}

function noAuthorizationEndpoint(): WharfError {
  const description = "the identity provider has no valid authorization endpoint";
  return failedPrecondition({ type: "NOT_CONFIGURED", description });
}

/** Reads the discovery document of an issuer. */
async function discover(
  policy: IssuerPolicy,
  issuer: string,
  clientId: string,
  secret: string | undefined,
): Promise<Configuration> {
  const client = await library();
  const auth = secret === undefined ? client.None() : authentication(client, secret);
  return client.discovery(new URL(issuer), clientId, undefined, auth, {
    [client.customFetch]: guardedFetch(policy, issuer),
    ...(policy.mayBePrivate(issuer) ? { execute: [client.allowInsecureRequests] } : {}),
  });
}

/**
 * Sends the secret in the header, the default of the standard, unless the provider supports only
 * the body.
 */
function authentication(client: typeof import("openid-client"), secret: string): ClientAuth {
  const inHeader = client.ClientSecretBasic(secret);
  const inBody = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const method = known.includes("client_secret_basic") ? inHeader : inBody;
    return method(server, ...rest);
  };
}

/** Translates errors of the provider without revealing internals. */
function providerError(error: unknown, what = "rejected this sign-in"): WharfError {
  if (error instanceof WharfError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof FetchError || cause instanceof FetchError) {
    const why = (error instanceof FetchError ? error : (cause as FetchError)).message;
    return new WharfError("UNAVAILABLE", `the identity provider: ${why}`, undefined, error);
  }
  const code = (error as { error?: unknown; error_description?: unknown }).error;
  // The library names the invalid claim in the cause.
  const message = cause instanceof Error ? cause.message : (error as Error).message;
  const reason = typeof code === "string" ? code : message;
  return new WharfError(
    "PERMISSION_DENIED",
    `the identity provider ${what}: ${reason.slice(0, 200)}`,
    undefined,
    error,
  );
}
