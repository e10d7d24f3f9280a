import { createHash } from "node:crypto";
import { type Html, html, type Part } from "./html.ts";
import { PASSKEY_JS } from "./passkey-script.ts";
import { STYLE_CSS } from "./style.ts";

export { PASSKEY_JS, STYLE_CSS };

/** The files that pages refer to, as paths of this site. */
export const STYLE_PATH = "/login/style.css";
export const PASSKEY_PATH = "/login/passkey.js";

/** The digest makes the address change with the content, so the files can be cached for ever. */
const STYLE_URL = `${STYLE_PATH}?v=${digest(STYLE_CSS)}`;
const PASSKEY_URL = `${PASSKEY_PATH}?v=${digest(PASSKEY_JS)}`;

/** A bollard on the quay, and the water below. */
const SHAPES = html`<path d="M9 4h14a3.5 3.5 0 0 1 0 7h-1l1 8H9l1-8H9a3.5 3.5 0 0 1 0-7z"/><path d="M3 20.5h26V24H3z"/><path d="M3 28.5q3.25-2.5 6.5 0t6.5 0 6.5 0 6.5 0" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>`;

const MARK = html`<svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true" fill="currentColor">${SHAPES}</svg>`;

const ICON = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="#2f8fb0" fill="#2f8fb0">${SHAPES}</svg>`,
);

/** A whole page. `script` brings in the passkey script; `refresh` is a safe address to go on to. */
export function page(given: {
  title: string;
  body: Part;
  script?: boolean;
  refresh?: string | undefined;
}): string {
  const { title, body, script = false, refresh } = given;
  const document: Html = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh !== undefined && html`<meta http-equiv="refresh" content="0;url=${refresh}">`}
<title>${title} &ndash; Wharf</title>
<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="${STYLE_URL}">
${script && html`<script src="${PASSKEY_URL}" defer></script>`}
</head>
<body>
<header>${MARK}<span>Wharf</span></header>
<main>
${body}
</main>
</body>
</html>
`;
  return document.toString();
}

/**
 * Headers of every page: nothing from elsewhere, no frames, no traces. Browsers hold `form-action`
 * against redirects that follow a post too, so where those lead is given as `formTargets`.
 */
export function pageHeaders(
  extra: { formTargets?: readonly string[] } = {},
): Record<string, string> {
  const targets = ["'self'", ...new Set((extra.formTargets ?? []).map(sourceOf))];
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action ${targets.join(" ")}`,
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy":
      "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), geolocation=()",
  };
}

/** What a policy calls the site of an address. It has no words for IPv6, so there the scheme must do. */
function sourceOf(address: string): string {
  const { protocol, hostname, origin } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`forms lead to http and https only, not ${protocol}`);
  return hostname.startsWith("[") ? protocol : origin;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
