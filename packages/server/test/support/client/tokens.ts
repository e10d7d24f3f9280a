/** Ways of clients to get tokens: by exchange, by OAuth in a browser, and without a browser. */

import {
  createDecipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, type JWTPayload } from "jose";
import { ApiClient } from "./api-client.ts";

/**
 * The beginning of every JWT: the name of a header parameter. "eyJ" alone also occurs in random values, such as codes.
 */
export const JWT_START = /eyJ(?:hbGciO|0eXAiO|raWQiO)/;

export interface Exchanged {
  readonly details: readonly object[];
  readonly status: number;
  readonly token: string;
  readonly claims: JWTPayload;
  readonly code: number;
  readonly message: string;
}

/**
 * Asks for a token as the specification shows: GET, the other token as bearer.
 *
 * @example const { token } = await exchange(server.url, upstream, { aud: server.url, identity });
 */
export async function exchange(
  url: string,
  token: string,
  parameters: Record<string, string | readonly string[]>,
): Promise<Exchanged> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
  }
  const response = await fetch(`${url}/sts/exchange?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
  });
  const body = (await response.json()) as Partial<Exchanged>;
  return {
    status: response.status,
    token: body.token ?? "",
    claims: body.token === undefined ? {} : decodeJwt(body.token),
    code: body.code ?? 0,
    message: body.message ?? "",
    details: body.details ?? [],
  };
}

/** An answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  readonly expires_in: number;
  readonly error: string;
  readonly error_description: string;
}

/**
 * A command-line tool that waits at a loopback address for a login to end there.
 *
 * @example
 * const tool = await OAuthClient.start(server.url);
 * await page.goto(tool.loginUrl({ idp_id: provider }));
 * const { access_token } = await tool.redeem(await tool.callback());
 */
export class OAuthClient {
  readonly redirectUri: string;
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(16).toString("base64url");
  readonly #url: string;
  readonly #server: Server;
  readonly #calls: URLSearchParams[] = [];
  #arrived: (() => void) | undefined;

  private constructor(url: string, server: Server) {
    this.#url = url;
    this.#server = server;
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    server.on("request", (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", this.redirectUri);
      response.setHeader("content-type", "text/plain").end("thank you");
      if (pathname !== "/callback") return;
      this.#calls.push(searchParams);
      this.#arrived?.();
    });
  }

  static async start(url: string): Promise<OAuthClient> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new OAuthClient(url, server);
  }

  /** The URL to which the tool sends its user: a code is to come back, for PKCE. */
  loginUrl(parameters: Readonly<Record<string, string>> = {}): string {
    const challenge = createHash("sha256").update(this.verifier).digest("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "wharf",
      redirect_uri: this.redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: this.state,
      ...parameters,
    });
    return `${this.#url}/oauth?${query}`;
  }

  /** The parameters of the callback, once it has arrived. */
  async callback(): Promise<URLSearchParams> {
    const call = this.#calls.shift();
    if (call !== undefined) return call;
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    return this.callback();
  }

  /** Exchanges the code that came back for tokens. */
  redeem(
    callback: URLSearchParams,
    changed: Readonly<Record<string, string>> = {},
  ): Promise<TokenAnswer> {
    return askForToken(this.#url, {
      grant_type: "authorization_code",
      client_id: "wharf",
      code: callback.get("code") ?? "",
      code_verifier: this.verifier,
      redirect_uri: this.redirectUri,
      ...changed,
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/**
 * @example await askForToken(server.url, { grant_type: "refresh_token", refresh_token });
 */
export async function askForToken(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<TokenAnswer> {
  const response = await fetch(`${url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return { status: response.status, ...((await response.json()) as Omit<TokenAnswer, "status">) };
}

/** The sealed tokens of a tool, as they come over the wire. */
export interface Sealed {
  readonly ecdhPublicKey: Buffer;
  readonly encryptedIdtoken: Buffer;
}

/** A tool without a browser, that waits with a key for a login elsewhere, as existing ones do. */
export class HeadlessClient {
  /** Its public key, which is also what the person opens. */
  readonly code: string;
  readonly #key: KeyObject;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("x25519");
    this.#key = privateKey;
    this.code = publicKey.export({ format: "jwk" }).x ?? "";
  }

  /** Opens what was sealed: AES-256-GCM under the raw shared secret, behind a nonce of 12 bytes. */
  open({ ecdhPublicKey, encryptedIdtoken: sealed }: Sealed): string {
    const theirs = { kty: "OKP", crv: "X25519", x: ecdhPublicKey.toString("ascii") };
    const publicKey = createPublicKey({ key: theirs, format: "jwk" });
    const secret = diffieHellman({ privateKey: this.#key, publicKey });
    const cipher = createDecipheriv("aes-256-gcm", secret, sealed.subarray(0, 12));
    cipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]).toString();
  }

  /** Asks over REST; undefined while nothing is there. */
  async ask(url: string): Promise<Sealed | undefined> {
    const response = await fetch(`${url}/sts/headless_sessions?code=${this.code}`);
    const body = (await response.json()) as Record<string, string>;
    if (response.status === 404) return undefined;
    return sealedOf(body);
  }

  /** Asks over gRPC, under the name that existing clients know; rejects while nothing is there. */
  async askOverGrpc(url: string): Promise<Sealed> {
    const api = new ApiClient({ url, token: "", protocol: "gRPC", naming: "public" });
    return sealedOf(await api.auth.getHeadlessSession({ code: this.code }));
  }
}

/** Bytes come as base64 in JSON. */
function sealedOf(body: Readonly<Record<string, string>>): Sealed {
  const bytes = (name: string) => Buffer.from(body[name] ?? "", "base64");
  return { ecdhPublicKey: bytes("ecdhPublicKey"), encryptedIdtoken: bytes("encryptedIdtoken") };
}
