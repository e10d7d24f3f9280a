/** An OpenID provider that breaks chosen rules. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { StandInIssuer } from "./issuer.ts";

/** The fault of a provider at one login. */
export interface ProviderFault {
  /** Changes what the ID token says; undefined takes a claim away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The signer, if not the provider's published key. */
  readonly signedBy?: "nobody" | "another key" | "the client secret";
  /** Changes the discovery document. */
  readonly discovery?: Readonly<Record<string, unknown>>;
  /** Answers instead of the token endpoint. */
  readonly token?: (response: ServerResponse) => void;
  /** Changes the token answer. */
  readonly answer?: Readonly<Record<string, unknown>>;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Changes what the browser comes back with. */
  readonly callback?: Readonly<Record<string, string>>;
}

const CLIENT = { id: "wharf", secret: "a secret that is long enough for HS256" };

/** An OpenID provider that conforms, except for the configured violations. */
export class RogueProvider {
  readonly client = CLIENT;
  /** The paths of received requests. */
  readonly asked: string[];
  #issuer: StandInIssuer;
  #fault: ProviderFault = {};
  #query = new URLSearchParams();

  private constructor(issuer: StandInIssuer) {
    this.#issuer = issuer;
    this.asked = issuer.asked;
    issuer.instead.set("/.well-known/openid-configuration", (_, response) => {
      send(response, 200, { ...this.#discovery, ...this.#fault.discovery });
    });
    issuer.instead.set("/token", (request, response) => void this.#token(request, response));
    issuer.instead.set("/userinfo", (_, response) => {
      send(response, 200, this.#fault.userInfo ?? { sub: "rogue" });
    });
  }

  static async start(): Promise<RogueProvider> {
    return new RogueProvider(await StandInIssuer.start());
  }

  get url(): string {
    return this.#issuer.url;
  }

  stop(): Promise<void> {
    return this.#issuer.stop();
  }

  /** Sets the fault at the logins that begin from now on. */
  misbehave(fault: ProviderFault): void {
    this.#fault = fault;
    this.asked.length = 0;
  }

  /** The query that it sends a browser back with, which came to its pages at this address. */
  wayBack(address: string): string {
    this.#query = new URL(address).searchParams;
    const state = this.#query.get("state") ?? "";
    return new URLSearchParams({ code: "c0de", state, ...this.#fault.callback }).toString();
  }

  get #discovery(): object {
    const { url } = this;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      userinfo_endpoint: `${url}/userinfo`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const part of request) body += part;
    if (this.#fault.token) return this.#fault.token(response);
    const wrong = this.#wrong(new URLSearchParams(body), request.headers.authorization ?? "");
    if (wrong !== undefined) return send(response, 400, { error: wrong });
    const tokens = { access_token: "upstream", token_type: "bearer", id_token: await this.#sign() };
    send(response, 200, { ...tokens, ...this.#fault.answer });
  }

  /** The reason for which a correct provider would reject the call of a client. */
  #wrong(form: URLSearchParams, authorization: string): string | undefined {
    const { id, secret } = CLIENT;
    const basic = Buffer.from(`${id}:${encodeURIComponent(secret).replaceAll("%20", "+")}`);
    if (authorization !== `Basic ${basic.toString("base64")}`) return "invalid_client";
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "");
    const challenge = this.#query.get("code_challenge");
    if (this.#query.get("code_challenge_method") !== "S256") return "no_pkce";
    if (verifier.digest("base64url") !== challenge) return "wrong_verifier";
    const sound =
      form.get("redirect_uri") === this.#query.get("redirect_uri") && form.get("code") === "c0de";
    return sound ? undefined : "invalid_grant";
  }

  async #sign(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const right = { iss: this.url, aud: CLIENT.id, sub: "rogue", iat: now, exp: now + 300 };
    const nonce = this.#query.get("nonce");
    const email = { email: "rogue@acme.example", email_verified: true };
    const claims = { ...right, ...email, nonce, ...this.#fault.claims } as JWTPayload;
    switch (this.#fault.signedBy) {
      case "nobody":
        return new UnsecuredJWT(claims).encode();
      case "the client secret":
        return new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(Buffer.from(CLIENT.secret));
      case "another key": {
        const other = await StandInIssuer.start();
        return other.sign(claims).finally(() => other.stop());
      }
      default:
        return this.#issuer.sign(claims);
    }
  }
}

/**
 * @example send(response, 200, { access_token: "…" });
 */
function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
