/**
 * The custom properties of all pages, those of the console included: colors, shapes and fonts, in a light and a dark scheme. Each scheme keeps a text
 * contrast of at least 4.5:1.
 */
export const THEME_CSS = `:root {
  color-scheme: light dark;
  --ground: #f3f6f8;
  --sheet: #ffffff;
  --line: #d9e1e7;
  --edge: #7b8a98;
  --text: #16222d;
  --soft: #52616f;
  --accent: #0b5f7d;
  --accent-over: #084a62;
  --on-accent: #ffffff;
  --quiet-over: #e8eff3;
  --alert: #8f1d14;
  --alert-ground: #fdeeec;
  --note-ground: #eaf3f7;
  --current: #dcebf2;
  --good: #145c2e;
  --good-ground: #e3f4e8;
  --shadow: 0 1px 2px #16222d14, 0 12px 32px #16222d14;
  --radius: 0.5rem;
  --radius-large: 0.875rem;
  --radius-small: 0.375rem;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --font-code: ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e151b;
    --sheet: #17212a;
    --line: #2b3945;
    --edge: #738596;
    --text: #e7edf2;
    --soft: #a4b3c0;
    --accent: #6cc5e2;
    --accent-over: #93d6ec;
    --on-accent: #06222e;
    --quiet-over: #202d38;
    --alert: #ffb4ab;
    --alert-ground: #3a1d1c;
    --note-ground: #1a2f3a;
    --current: #1d3642;
    --good: #9be0b3;
    --good-ground: #173424;
    --shadow: none;
  }
}
@media (prefers-contrast: more) {
  :root {
    --line: var(--edge);
    --soft: var(--text);
  }
}
`;
