/** A real OpenID provider with accounts, clients and login pages. */
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type GenerateKeyPairResult } from "jose";
import Provider, { type ClientMetadata } from "oidc-provider";
import type { Page } from "playwright-core";
import { freePort } from "../server/free-port.ts";
import { returnRsaKey, takeRsaKey } from "./rsa-keys.ts";

const HOST = "127.0.0.1";

/** The claims of the provider about a person besides the subject. */
export interface AccountClaims {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  groups?: readonly string[];
  oid?: string;
}

/** A client without a secret is public, and must use PKCE. */
export interface Client {
  readonly id: string;
  readonly secret?: string;
  readonly redirectUris: readonly string[];
}

/**
 * A real OpenID provider on this machine, with people, clients and keys of its own. Its pages take
 * any password; `signInAtProvider` goes through them.
 */
export class OpenIdProvider {
  readonly issuer: string;
  /** By subject, which is also what people sign in as; may be changed between logins. */
  readonly accounts: Map<string, AccountClaims>;
  readonly #key: GenerateKeyPairResult;
  readonly #port: number;
  readonly #handler: RequestListener;
  readonly #hits = new Map<string, number>();
  #server: Server | undefined;

  private constructor(
    server: Server,
    provider: (issuer: string) => Provider,
    accounts: Map<string, AccountClaims>,
    key: GenerateKeyPairResult,
  ) {
    this.#key = key;
    this.#port = (server.address() as AddressInfo).port;
    // Pages under test come from localhost, so that for the browser this is another site.
    this.issuer = `http://${HOST}:${this.#port}`;
    this.accounts = accounts;
    const answer = provider(this.issuer).callback();
    this.#handler = (request, response) => {
      const path = (request.url ?? "").replace(/\?.*$/s, "");
      this.#hits.set(path, this.hits(path) + 1);
      void answer(request, response);
    };
    this.#server = server.on("request", this.#handler);
  }

  /**
   * @example
   * const provider = await OpenIdProvider.start({
   *   clients: [{ id: "wharf", secret: "s3cret", redirectUris: [`${server.url}/oauth/callback`] }],
   *   accounts: { ada: { email: "ada@acme.example", email_verified: true, groups: ["builders"] } },
   * });
   */
  static async start(given: {
    clients: readonly Client[];
    accounts: Readonly<Record<string, AccountClaims>>;
  }): Promise<OpenIdProvider> {
    const accounts = new Map(Object.entries(given.accounts));
    const pair = await takeRsaKey();
    const key = {
      ...(await exportJWK(pair.privateKey)),
      kid: randomUUID(),
      use: "sig",
      alg: "RS256",
    };
    const provider = (issuer: string) =>
      new Provider(issuer, {
        clients: given.clients.map(metadata),
        jwks: { keys: [key] },
        cookies: { keys: [randomBytes(32).toString("hex")] },
        features: { devInteractions: { enabled: true } },
        // The claims of the scopes are in the ID token too, as with most providers.
        conformIdTokenClaims: false,
        claims: {
          openid: ["sub", "groups", "oid"],
          email: ["email", "email_verified"],
          profile: ["name", "preferred_username"],
        },
        ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
        // As providers of companies do for their own applications: people sign in without a consent page.
        async loadExistingGrant({ oidc }) {
          const { client, account, params, provider } = oidc;
          const grant = new provider.Grant({
            clientId: client?.clientId,
            accountId: account?.accountId,
          });
          grant.addOIDCScope(String(params?.scope));
          await grant.save();
          return grant;
        },
        async findAccount(_context, sub) {
          const claims = accounts.get(sub);
          return claims && { accountId: sub, claims: async () => ({ sub, ...claims }) };
        },
      });
    // A port that no other process gets while the provider is stopped.
    return new OpenIdProvider(await listen(await freePort()), provider, accounts, pair);
  }

  /** The number of requests for a path, such as `/token`, `/auth`, `/jwks`. */
  hits(path: string): number {
    return this.#hits.get(path) ?? 0;
  }

  /** Goes away: connections are refused until `resume`. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    returnRsaKey(this.#key);
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  /** Comes back at the same address, with the same keys and sessions. */
  async resume(): Promise<void> {
    this.#server ??= (await listen(this.#port)).on("request", this.#handler);
  }
}

/**
 * Waits for the provider's pages and goes through them, as the person would, until they lead back.
 * A browser that the provider remembers is led back at once, and needs no help.
 *
 * @example await signInAtProvider(page, { login: "ada" });
 */
export async function signInAtProvider(page: Page, { login }: { login: string }): Promise<void> {
  const asks = (url: URL) => url.pathname.startsWith("/interaction/");
  await page.waitForURL(asks);
  while (asks(new URL(page.url()))) {
    const name = page.getByPlaceholder("Enter any login");
    if (await name.isVisible()) {
      await name.fill(login);
      await page.getByPlaceholder("and password").fill("any");
    }
    const before = page.url();
    await page.locator("button[type=submit]").click();
    await page.waitForURL(({ href }) => href !== before, { waitUntil: "domcontentloaded" });
  }
}

function metadata({ id, secret, redirectUris }: Client): ClientMetadata {
  const common = {
    client_id: id,
    redirect_uris: [...redirectUris],
    response_types: ["code"] as ["code"],
    grant_types: ["authorization_code", "refresh_token"],
  };
  return secret === undefined
    ? { ...common, token_endpoint_auth_method: "none" }
    : { ...common, client_secret: secret };
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, HOST);
  await once(server, "listening");
  return server;
}
