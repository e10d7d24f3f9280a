/** An OpenID issuer with keys of its own, for tokens of workloads. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { returnRsaKey, takeRsaKey } from "./rsa-keys.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An OpenID issuer for tests, with its own keys, that misbehaves on request. */
export class StandInIssuer {
  readonly url: string;
  readonly #server: Server;
  readonly #keys = new Map<string, { pair: GenerateKeyPairResult; jwk: JWK; alg: string }>();
  /** The paths of received requests. */
  readonly asked: string[] = [];
  /** Answers instead of the documents, by path. */
  readonly instead = new Map<string, Answer>();
  /** The issuer in the discovery document. */
  claimedIssuer: string;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
    this.claimedIssuer = this.url;
    server.on("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#answer(request, response),
    );
  }

  /**
   * @example const issuer = await StandInIssuer.start();
   */
  static async start(): Promise<StandInIssuer> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const issuer = new StandInIssuer(server);
    await issuer.addKey("key-1", "RS256");
    return issuer;
  }

  async addKey(kid: string, alg: string): Promise<JWK> {
    const pair = await (alg === "RS256" ? takeRsaKey() : generateKeyPair(alg));
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" };
    this.#keys.set(kid, { pair, jwk, alg });
    return jwk;
  }

  get jwks(): { keys: JWK[] } {
    return { keys: [...this.#keys.values()].map(({ jwk }) => jwk) };
  }

  /** Signs a token; claims and header can be set at will. */
  async sign(claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
    const kid = (header.kid as string | undefined) ?? "key-1";
    const { pair, alg } = this.#keys.get(kid) ?? (this.#keys.get("key-1") as never);
    const now = Math.floor(Date.now() / 1000);
    const complete = { iss: this.url, aud: "127.0.0.1", iat: now, exp: now + 300, ...claims };
    return new SignJWT(complete).setProtectedHeader({ alg, kid, ...header }).sign(pair.privateKey);
  }

  async stop(): Promise<void> {
    for (const { pair, alg } of this.#keys.values()) if (alg === "RS256") returnRsaKey(pair);
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.asked.push(path);
    const instead = this.instead.get(path);
    if (instead === undefined) response.setHeader("content-type", "application/json");
    if (instead !== undefined) {
      instead(request, response);
    } else if (path === "/.well-known/openid-configuration") {
      response.end(JSON.stringify({ issuer: this.claimedIssuer, jwks_uri: `${this.url}/jwks` }));
    } else if (path === "/jwks") {
      response.end(JSON.stringify(this.jwks));
    } else {
      response.writeHead(404).end("{}");
    }
  }
}
