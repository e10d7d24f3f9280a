/** The session of the console, if there is one. Its token stays in memory. */
export interface Caller {
  readonly accessToken: string;
  readonly expires: number;
  readonly name: string;
}

const MARGIN_MS = 30_000;
let current: Caller | undefined;

/** The session of the console; undefined without one. It is loaded when the first request is sent. */
export async function caller(): Promise<Caller | undefined> {
  if (current !== undefined && Date.now() < current.expires - MARGIN_MS) return current;
  const response = await fetch("/console/session/token", { method: "POST", cache: "no-store" });
  current = response.ok ? ((await response.json()) as Caller) : undefined;
  return current;
}
