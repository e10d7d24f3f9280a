/**
 * The bare minimum of an exchange with jose and node:http: verifies an RS256 token with cached keys, and
 * signs an ES256 token with the same claims as ours. Reads and writes no database.
 */
import { randomUUID } from "node:crypto";
import { createLocalJWKSet, generateKeyPair, type JSONWebKeySet, jwtVerify, SignJWT } from "jose";
import { doJobs } from "../program.ts";
import { serveTokens } from "./token-server.ts";

export interface ServedExchange {
  readonly jwks: JSONWebKeySet;
  readonly issuer: string;
  readonly audience: string;
  /** The claims of issued tokens. */
  readonly made: { readonly issuer: string; readonly subject: string; readonly kid: string };
}

const LIFETIME_SECONDS = 3_600;

doJobs(async (job: ServedExchange): Promise<{ port: number }> => {
  const { issuer, audience, made } = job;
  const keys = createLocalJWKSet(job.jwks);
  const { privateKey } = await generateKeyPair("ES256");
  const exchange = async (token: string): Promise<string> => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ["RS256"] });
    const { iss, sub, aud } = payload;
    const issued = Math.floor(Date.now() / 1000);
    const signed = await new SignJWT({ act: { iss, sub, aud } })
      .setProtectedHeader({ alg: "ES256", kid: made.kid, typ: "JWT" })
      .setIssuer(made.issuer)
      .setAudience(made.issuer)
      .setSubject(made.subject)
      .setJti(randomUUID())
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFETIME_SECONDS)
      .sign(privateKey);
    const expiry = new Date((issued + LIFETIME_SECONDS) * 1000).toISOString();
    return JSON.stringify({ token: signed, refreshToken: "", expiry });
  };
  return serveTokens(exchange);
});
