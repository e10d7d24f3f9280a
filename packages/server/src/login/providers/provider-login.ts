import {
  type IdentityProvider,
  IdentityProvider_OIDC_CorrelationRule,
  rootOf,
} from "@wharf/contract";
import type { ClientAuth, Configuration, UserInfoResponse } from "openid-client";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import type { Engine } from "../../engine/engine.ts";
import { CLIENT_SECRET } from "../../iam/identity-providers.ts";
import { failedPrecondition, WharfError } from "../../lib/errors.ts";
import { FetchError } from "../../lib/fetch-json.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { IssuerPolicy } from "../../sts/issuers/issuer-policy.ts";
import { isNotInFuture } from "../../sts/verify/time-claims.ts";
import type { Described } from "../people/person.ts";
import { guardedFetch } from "./guarded-fetch.ts";

/** The one address that providers send browsers back to. */
export const CALLBACK_PATH = "/oauth/callback";

/** What must be remembered while the browser is at the provider. */
export interface Upstream {
  /** The uid of the provider. */
  readonly provider: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** A person as their provider knows them. */
export interface FromProvider extends Described {
  /** The provider's own name for the person, which provisioning knows them by. */
  readonly externalId: string;
  /** The groups that the provider says they are in. */
  readonly groups: readonly string[];
}

/** The library is some hundred kilobytes that only logins need. */
const library = () => import("openid-client");

export interface ProviderLoginDeps {
  readonly engine: Engine;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly issuerPolicy: IssuerPolicy;
  addresses(): Addresses;
}

/** Sends people to identity providers, and finds out who they are when they come back. */
export class ProviderLogin {
  readonly #deps: ProviderLoginDeps;

  constructor(deps: ProviderLoginDeps) {
    this.#deps = deps;
  }

  /**
   * Where to send a browser. `stateFor` makes the state that it comes back with, which must keep
   * what this login is checked against then.
   */
  async begin(
    provider: IdentityProvider,
    stateFor: (upstream: Upstream) => string,
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
    // PKCE is used with every provider: those that do not know it ignore it.
    const parameters = {
      redirect_uri: `${this.#deps.addresses().authUrl}${CALLBACK_PATH}`,
      scope: [...new Set(scopes)].join(" "),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state: stateFor({ provider: provider.uid, verifier, nonce }),
      nonce,
    };
    return pagesOf(client, config, parameters).href;
  }

  /**
   * Who came back. Redeems the code, and believes an ID token that the provider signed, for us, for
   * this very login.
   */
  async finish(
    provider: IdentityProvider,
    { verifier, nonce }: Upstream,
    state: string,
    query: string,
  ): Promise<FromProvider> {
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
      // The library accepts an ID token that was issued in the future.
      if (!isNotInFuture(claims.iat, Date.now()))
        throw new Error('the ID token\'s "iat" is missing or in the future');
      const wanted = provider.configuration.value?.groupsClaim ?? "";
      const complete =
        claims.email !== undefined && (wanted === "" || claims[wanted] !== undefined);
      const more = complete ? {} : await this.#userInfo(config, tokens.access_token, claims);
      return describe(provider, { ...more, ...claims }, claims.email === undefined ? more : claims);
    } catch (error) {
      throw refusal(error);
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
    const { issuerPolicy: policy, secrets, engine } = this.#deps;
    if (!policy.mayTrust(issuer)) {
      const description = "this installation does not trust the identity provider";
      throw failedPrecondition({ type: "ISSUER_NOT_TRUSTED", description });
    }
    const client = await library();
    const secret = await secrets.get(engine.store.reader, uid, CLIENT_SECRET);
    try {
      const config = await client.discovery(
        new URL(issuer),
        clientId,
        undefined,
        secret === undefined ? client.None() : authentication(client, secret),
        {
          [client.customFetch]: guardedFetch(policy, issuer),
          ...(policy.mayBePrivate(issuer) ? { execute: [client.allowInsecureRequests] } : {}),
        },
      );
      client.enableNonRepudiationChecks(config);
      await this.#mustBeTellable(provider, config);
      return config;
    } catch (error) {
      throw refusal(error);
    }
  }

  /**
   * All providers send browsers back to one address, so a provider of anyone's could lead a person on
   * to another provider, and be given the code that this one sends them back with. Those that say who
   * they are in their answers (RFC 9207) are held to it by the library; all others must be of an
   * organization that the operator has verified, unless only the operator says whom to trust anyway.
   */
  async #mustBeTellable({ uid }: IdentityProvider, config: Configuration): Promise<void> {
    const { settings, engine } = this.#deps;
    const { groups } = engine.catalog;
    if (config.serverMetadata().authorization_response_iss_parameter_supported === true) return;
    if (settings.rootGroups === "operator" || settings.trustedIssuers.length > 0) return;
    if ((await groups.find(engine.store.reader, rootOf(uid)))?.verified) return;
    const description =
      "the identity provider does not identify itself in authorization responses (RFC 9207): the operator must verify its organization first";
    throw failedPrecondition({ type: "ORGANISATION_NOT_VERIFIED", description });
  }
}

/** Where the provider's pages are; what it says of itself may be nonsense, or a script. */
function pagesOf(
  client: typeof import("openid-client"),
  config: Configuration,
  parameters: Record<string, string>,
): URL {
  try {
    const url = client.buildAuthorizationUrl(config, parameters);
    if (url.protocol === "https:" || url.protocol === "http:") return url;
  } catch {
    // Answered below, as everything that no browser can be sent to.
  }
  const description = "the identity provider has no valid authorization endpoint";
  throw failedPrecondition({ type: "NOT_CONFIGURED", description });
}

/** The secret goes in the header, which is the standard's default, unless only the body will do. */
function authentication(client: typeof import("openid-client"), secret: string): ClientAuth {
  const inHeader = client.ClientSecretBasic(secret);
  const inBody = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const method = known.includes("client_secret_basic") ? inHeader : inBody;
    return method(server, ...rest);
  };
}

type Claims = Readonly<Record<string, unknown>>;

/**
 * Who a person is, from what their provider claims. Whether an address is verified must be said
 * where the address is: of another it means nothing.
 */
export function describe(
  { configuration }: IdentityProvider,
  claims: Claims,
  { email_verified: verified }: Claims,
): FromProvider {
  const { groupsClaim, correlationRule } = configuration.value ?? { groupsClaim: "" };
  const { OID_EQUALS_EXTERNAL_ID } = IdentityProvider_OIDC_CorrelationRule;
  const externalId = correlationRule === OID_EQUALS_EXTERNAL_ID ? claims.oid : claims.sub;
  const text = (name: string) => (typeof claims[name] === "string" ? claims[name] : undefined);
  const address = text("email");
  const profile = {
    name: text("name"),
    picture: text("picture"),
    givenName: text("given_name"),
    familyName: text("family_name"),
  };
  const known = Object.entries(profile).filter(([, value]) => value !== undefined);
  return {
    act: { iss: String(claims.iss), sub: String(claims.sub) },
    externalId: typeof externalId === "string" ? externalId : "",
    groups: groupsClaim === "" ? [] : textsOf(claims[groupsClaim]),
    profile: Object.fromEntries(known),
    ...(address ? { email: { address, verified: verified === true } } : {}),
  };
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((one): one is string => typeof one === "string" && one !== "");
}

/** What went wrong at the provider, in words that tell nothing of the inside. */
function refusal(error: unknown): WharfError {
  if (error instanceof WharfError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof FetchError || cause instanceof FetchError) {
    const why = (error instanceof FetchError ? error : (cause as FetchError)).message;
    return new WharfError("UNAVAILABLE", `the identity provider: ${why}`, undefined, error);
  }
  const said = (error as { error?: unknown; error_description?: unknown }).error;
  // The library says in the cause which claim it was.
  const exact = cause instanceof Error ? cause.message : (error as Error).message;
  const word = typeof said === "string" ? said : exact;
  return new WharfError(
    "PERMISSION_DENIED",
    `the identity provider rejected this sign-in: ${word.slice(0, 200)}`,
    undefined,
    error,
  );
}
