import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { cachedSource, isFresh } from "../tokens/cached.ts";
import { noToken } from "../tokens/platforms.ts";
import { refreshOnce, type SessionOptions } from "../tokens/refresh.ts";
import { isMeantFor, type TokenSource, withExpiry } from "../tokens/source.ts";
import { locked } from "./lock.ts";

export interface SessionFileOptions extends SessionOptions {
  /** A JSON file with `refreshToken`, and with `token` after the first refresh. */
  readonly path: string;
}

interface Kept {
  readonly refreshToken: string;
  readonly token?: string;
}

/**
 * The session of a person in a file that processes share: one of them refreshes it, the others use the result. Only the
 * owner of the file can read it.
 *
 * @example tokens.session({ path: "session.json", authUrl })
 */
export function session(options: SessionFileOptions): TokenSource {
  const { path } = options;
  return cachedSource(async ({ audience, force, signal }) => {
    const requestedAudience = options.audience ?? audience ?? options.authUrl;
    const before = await read(path);
    if (!force && isGood(before.token, requestedAudience)) return withExpiry(before.token);
    const renew = async () => {
      const now = await read(path);
      // Another process has refreshed it meanwhile.
      if (now.token !== before.token && isGood(now.token, requestedAudience))
        return withExpiry(now.token);
      const pair = await refreshOnce(options, now.refreshToken, audience, signal);
      await write(path, { refreshToken: pair.refreshToken.token, token: pair.token.token });
      return pair.token;
    };
    return locked(`${path}.lock`, renew, signal);
  });
}

function isGood(token: string | undefined, audience: string): token is string {
  return token !== undefined && isMeantFor(token, audience) && isFresh(withExpiry(token));
}

async function read(path: string): Promise<Kept> {
  try {
    const kept = JSON.parse(await readFile(path, "utf8"));
    if (typeof kept?.refreshToken === "string") return kept;
  } catch (cause) {
    throw noToken(`${path} cannot be read`, cause);
  }
  throw noToken(`${path} has no refreshToken`);
}

/** Writes atomically. */
async function write(path: string, kept: Kept): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  await rm(beside, { force: true });
  await writeFile(beside, `${JSON.stringify(kept)}\n`, { mode: 0o600, flag: "wx", flush: true });
  await rename(beside, path);
}
