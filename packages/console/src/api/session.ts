/**
 * The session of the browser: a cookie that scripts cannot read issues access tokens for some minutes, which are kept
 * in memory only.
 */

/** The user of the session, and the access token. */
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

/** Messages between tabs. */
type Message = "signed out" | "ended" | "renewed";

const renewals = new Set<() => void>();

/** The open forms, by what shows them that the session has ended. */
const forms = new Set<(hasEnded: boolean) => void>();
let hasEnded = false;

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data === "signed out") leave();
  else if (data === "ended") end().catch(() => {});
  else {
    current = undefined;
    setEnded(false);
    for (const renewed of renewals) renewed();
  }
};

function tell(message: Message): void {
  channel.postMessage(message);
}

/** Calls back when the person has signed in again in another tab; returns a function that stops it. */
export function onRenewal(renewed: () => void): () => void {
  renewals.add(renewed);
  return () => renewals.delete(renewed);
}

/**
 * Keeps this page, with what is entered in a form, when the session ends, until the form is gone; returns a function that
 * says so.
 */
export function keepForm(show: (hasEnded: boolean) => void): () => void {
  forms.add(show);
  if (hasEnded) show(true);
  return () => {
    forms.delete(show);
    if (hasEnded && forms.size === 0) leave("ended");
  };
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

/** Has the next request ask for a token: the server has replaced the session. */
export function forgetToken(): void {
  current = undefined;
}

export async function accessToken(rejected?: string): Promise<string> {
  return (await session(rejected)).accessToken;
}

async function requestSession(): Promise<Session> {
  const response = await fetch("/console/session/token", { method: "POST", cache: "no-store" });
  if (response.status === 401) {
    if (identity === undefined) return leave();
    // The session of this page was ended elsewhere: that of all tabs, since they share its cookie.
    tell("ended");
    return end();
  }
  mustBeOk(response);
  const received = (await response.json()) as Session;
  // Someone else has signed in: nothing on the page is theirs.
  if (identity !== undefined && identity !== received.identity) window.location.reload();
  identity = received.identity;
  current = received;
  return received;
}

/** The session has ended. Open forms ask to sign in again; requests wait for it. Without any, the page is left. */
function end(): Promise<Session> {
  if (forms.size === 0 || signingOut !== undefined) return leave("ended");
  setEnded(true);
  return new Promise((resolve) => {
    const stop = onRenewal(() => {
      stop();
      resolve(requestSession());
    });
  });
}

function setEnded(next: boolean): void {
  hasEnded = next;
  for (const show of forms) show(next);
}

/** Leaves for the sign-in page, which says why and leads back here. */
function leave(why?: "ended"): Promise<never> {
  const { pathname, search } = window.location;
  const query = new URLSearchParams({ to: pathname + search, ...(why && { why }) });
  const go = () => window.location.assign(`/console/sign-in?${query}`);
  if (signingOut === undefined) go();
  else signingOut.catch(go);
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
  tell("signed out");
  window.location.assign("/");
}

async function endSession(): Promise<void> {
  mustBeOk(await fetch("/console/session/end", { method: "POST" }));
}

function mustBeOk({ ok, status }: Response): void {
  if (!ok) throw new Error(`the server answers ${status}`);
}
