/** Everything is within the page: it comes from an address that nothing else can be fetched from. */
const STYLE = `:root{color-scheme:light dark;--ground:#eef2f5;--sheet:#fff;--text:#16222d;--soft:#52616f;--accent:#0b5f7d}
@media(prefers-color-scheme:dark){:root{--ground:#0e151b;--sheet:#17212a;--text:#e7edf2;--soft:#a4b3c0;--accent:#6cc5e2}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{background:var(--sheet);padding:2rem 2.5rem;border-radius:12px;max-width:27rem;margin:1rem;overflow-wrap:anywhere}
h1{font-size:1.35rem;margin:0 0 .5rem;color:var(--accent)}p{margin:.5rem 0}.soft{color:var(--soft)}`;

/** Headers of the pages: nothing from elsewhere, no traces. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/** What the browser shows at the end of a login. */
export function landingPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escaped(title)} – Wharf</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
<p class="soft">You can close this window.</p>
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(/[&<>"]/g, (letter) => entities[letter] as string);
}
