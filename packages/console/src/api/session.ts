/**
 * The session of the browser: a cookie that scripts cannot read issues access tokens for some minutes, which are kept
 * in memory only.
 */

/** Who is signed in, and the token that says so. */
export interface Session {
  readonly accessToken: string;
  readonly expires: number;
  /** The uid of the person's identity. */
  readonly identity: string;
  readonly name: string;
  readonly session: string;
}

/** A token is replaced this long before it expires, so that no request arrives too late. */
const MARGIN_MS = 60_000;

const channel = new BroadcastChannel("wharf-session");
let current: Session | undefined;
let pending: Promise<Session> | undefined;

// Signing out in one tab signs all of them out.
channel.onmessage = () => signIn();

/** The session; asks the server for a token if there is none, or if it was rejected. */
export async function session(rejected?: string): Promise<Session> {
  const isUsable =
    current !== undefined &&
    current.accessToken !== rejected &&
    Date.now() < current.expires - MARGIN_MS;
  if (current !== undefined && isUsable) return current;
  pending ??= requestSession().finally(() => {
    pending = undefined;
  });
  return pending;
}

export async function accessToken(rejected?: string): Promise<string> {
  return (await session(rejected)).accessToken;
}

async function requestSession(): Promise<Session> {
  const response = await fetch("/console/session/token", { method: "POST", cache: "no-store" });
  if (response.status === 401) return signIn();
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  current = (await response.json()) as Session;
  return current;
}

/** Leaves for the sign-in page, which leads back here. */
function signIn(): Promise<never> {
  const { pathname, search } = window.location;
  const to = encodeURIComponent(pathname + search);
  window.location.assign(`/console/sign-in?to=${to}`);
  // The page is about to be replaced: whatever waits for a token must not fail first.
  return new Promise(() => {});
}

/** Ends the session on the server, in all tabs. */
export async function signOut(): Promise<void> {
  await fetch("/console/session/end", { method: "POST" });
  current = undefined;
  channel.postMessage("ended");
  window.location.assign("/");
}
