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
let identity: string | undefined;
let pending: Promise<Session> | undefined;
/** While the person signs out, requests are rejected already: they lead to the sign-in page only if it fails. */
let signingOut: Promise<void> | undefined;

/** What tabs tell each other. */
type Message = "ended" | "renewed";

const renewals = new Set<() => void>();

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  // Signing out in one tab signs all of them out.
  if (data === "ended") return signIn();
  current = undefined;
  for (const renewed of renewals) renewed();
};

function tell(message: Message): void {
  channel.postMessage(message);
}

/** Calls back when the person has signed in again in another tab; returns a function that stops it. */
export function onRenewal(renewed: () => void): () => void {
  renewals.add(renewed);
  return () => renewals.delete(renewed);
}

/** Opens the sign-in page in a window of its own: what was entered here stays. */
export function openSignIn(): void {
  const to = encodeURIComponent("/console/signed-in");
  window.open(`/console/sign-in?again=true&to=${to}`, "wharf-sign-in", "width=520,height=720");
}

/** Tells all tabs that the person has signed in again, and closes this one if it was opened for it. */
export function finishSignIn(): void {
  tell("renewed");
  window.close();
}

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
  if (response.status === 401) {
    // The session of this page was ended elsewhere: that of all tabs, since they share its cookie.
    if (identity !== undefined) tell("ended");
    return signIn();
  }
  mustBeOk(response);
  const received = (await response.json()) as Session;
  // Someone else has signed in: nothing on the page is theirs.
  if (identity !== undefined && identity !== received.identity) window.location.reload();
  identity = received.identity;
  current = received;
  return received;
}

/** Leaves for the sign-in page, which leads back here. */
function signIn(): Promise<never> {
  const { pathname, search } = window.location;
  const to = encodeURIComponent(pathname + search);
  const leave = () => window.location.assign(`/console/sign-in?to=${to}`);
  if (signingOut === undefined) leave();
  else signingOut.catch(leave);
  // The page is about to be replaced: whatever waits for a token must not fail first.
  return new Promise(() => {});
}

/** Ends the session on the server, in all tabs. Throws if it goes on. */
export async function signOut(): Promise<void> {
  signingOut = endSession();
  try {
    await signingOut;
  } catch (error) {
    signingOut = undefined;
    throw error;
  }
  current = undefined;
  tell("ended");
  window.location.assign("/");
}

async function endSession(): Promise<void> {
  mustBeOk(await fetch("/console/session/end", { method: "POST" }));
}

function mustBeOk({ ok, status }: Response): void {
  if (!ok) throw new Error(`the server answers ${status}`);
}
