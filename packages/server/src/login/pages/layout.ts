/**
 * The HTML pages of login: pure functions from properties to text. Imports nothing outside this
 * folder.
 */
import { createHash } from "node:crypto";
import { type Html, html, type Part } from "./html.ts";
import { PASSKEY_JS } from "./passkey-script.ts";
import { STYLE_CSS } from "./style.ts";

export { PASSKEY_JS, STYLE_CSS };

/** Static files of the pages. */
export const STYLE_PATH = "/login/style.css";
export const PASSKEY_PATH = "/login/passkey.js";

/** The URLs contain a digest of the content, so the files can be cached indefinitely. */
const STYLE_URL = `${STYLE_PATH}?v=${digest(STYLE_CSS)}`;
const PASSKEY_URL = `${PASSKEY_PATH}?v=${digest(PASSKEY_JS)}`;

/** The logo: a bollard on a quay above water. */
const SHAPES = html`<path d="M9 4h14a3.5 3.5 0 0 1 0 7h-1l1 8H9l1-8H9a3.5 3.5 0 0 1 0-7z"/><path d="M3 20.5h26V24H3z"/><path d="M3 28.5q3.25-2.5 6.5 0t6.5 0 6.5 0 6.5 0" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>`;

const MARK = html`<svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true" fill="currentColor">${SHAPES}</svg>`;

const ICON = encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="#2f8fb0" fill="#2f8fb0">${SHAPES}</svg>`,
);

/** Renders a page. `script` includes the passkey script; `refresh` is a safe URL to redirect to. */
export function page(props: {
  title: string;
  body: Part;
  script?: boolean;
  refresh?: string | undefined;
}): string {
  const { title, body, script = false, refresh } = props;
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
<header><a href="/">${MARK}<span>Wharf</span></a></header>
<main>
${body}
</main>
</body>
</html>
`;
  return document.toString();
}

/**
 * Headers of all pages: no external content, no framing, no caching. Browsers apply `form-action` to
 * redirects after a form, too, so `formTargets` must include their targets.
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

/** The CSP source of a URL. CSP cannot express IPv6 addresses, so those get only the scheme. */
function sourceOf(address: string): string {
  const { protocol, hostname, origin } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:")
    throw new Error(`forms can only target http and https, not ${protocol}`);
  return hostname.startsWith("[") ? protocol : origin;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
