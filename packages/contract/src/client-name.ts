/** Names of the programs that people sign in with, by their user agents. Pages and the server show the same ones. */

const BROWSERS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const MAX_CHARACTERS = 60;

/** The browser of a user agent; undefined for tools. */
function browserOf(userAgent: string): string | undefined {
  return BROWSERS.find(([sign]) => sign.test(userAgent))?.[1];
}

/**
 * Whether a user agent is that of a browser. Clients can send anything, so never base a decision on it.
 *
 * @example isBrowser("wharf/0.2.0") // false
 */
export function isBrowser(userAgent: string): boolean {
  return browserOf(userAgent) !== undefined;
}

/**
 * A short name for a user agent.
 *
 * @example clientName(request.userAgent) // "Firefox on Linux", or "wharf 0.2.0"
 */
export function clientName(userAgent: string): string {
  const browser = browserOf(userAgent);
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const tool = userAgent.slice(0, MAX_CHARACTERS).replace(/^([\w.-]+)\/(\d[\w.-]*).*$/s, "$1 $2");
  return tool || "unknown";
}
