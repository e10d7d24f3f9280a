/**
 * The bare minimum of a registry token with jose and node:http: verifies an ES256 token with cached keys,
 * and signs an ES256 token with the same claims as ours. Reads and writes no database.
 */
import { randomUUID } from "node:crypto";
import { createLocalJWKSet, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from "jose";
import { doJobs } from "../program.ts";
import { serveTokens } from "./token-server.ts";

export interface ServedRegistryToken {
  readonly jwks: JSONWebKeySet;
  readonly issuer: string;
  readonly audience: string;
  /** The headers of issued tokens. */
  readonly header: { readonly kid: string; readonly x5c: string[] };
  readonly access: readonly object[];
}

const LIFETIME_SECONDS = 300;

doJobs(async (job: ServedRegistryToken): Promise<{ port: number }> => {
  const { issuer, audience, header, access } = job;
  const keys = createLocalJWKSet(job.jwks);
  const { privateKey } = await generateKeyPair("ES256");
  const answer = async (bearer: string, url: string): Promise<string> => {
    const { payload } = await jwtVerify(bearer, keys, { issuer, audience, algorithms: ["ES256"] });
    const requestedScope = new URLSearchParams(url.slice(url.indexOf("?") + 1)).get("scope");
    const now = Date.now();
    const issued = Math.floor(now / 1000);
    const token = await new SignJWT({ access })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", ...header })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(payload.sub as string)
      .setJti(randomUUID())
      .setIssuedAt(issued)
      .setNotBefore(issued)
      .setExpirationTime(issued + LIFETIME_SECONDS)
      .sign(privateKey);
    const times = { expires_in: LIFETIME_SECONDS, issued_at: new Date(now).toISOString() };
    return JSON.stringify({ token, access_token: token, ...times, scope: requestedScope });
  };
  return serveTokens(answer);
});
