/**
 * The custom properties of all pages, those of the console included: colors, shapes and fonts. Each color has a light and a
 * dark value with a text contrast of at least 4.5:1. High contrast has at least 7:1 (WCAG 1.4.6), visible edges and thicker
 * lines; it follows the preference of the system, or the choice of a person (`data-theme`). Where the system forces its
 * own colors, the properties are those, because shapes of SVG are not forced.
 */
const HIGH_CONTRAST = `
  --ground: light-dark(#ffffff, #000000);
  --sheet: light-dark(#ffffff, #000000);
  --line: light-dark(#4a5762, #9fb0bd);
  --edge: light-dark(#16222d, #e7edf2);
  --text: light-dark(#000000, #ffffff);
  --soft: light-dark(#2b3640, #d5dee6);
  --accent: light-dark(#003f58, #8fdcf5);
  --accent-over: light-dark(#001f2c, #c8eefa);
  --on-accent: light-dark(#ffffff, #000000);
  --quiet-over: light-dark(#e8eff3, #1d2a34);
  --alert: light-dark(#7a0c05, #ffc9c2);
  --alert-ground: light-dark(#fff1ef, #2d0f0d);
  --warn: light-dark(#573400, #ffd9a0);
  --warn-ground: light-dark(#fff4e2, #2b1c05);
  --note-ground: light-dark(#eaf3f7, #0d2029);
  --current: light-dark(#cfe4ee, #14384a);
  --good: light-dark(#0a4020, #b4f0c9);
  --good-ground: light-dark(#e8f6ec, #0c2416);
  --rest: light-dark(#76838f, #8a97a3);
  --badge-edge: currentcolor;
  --mark: inset 0.25rem 0 var(--accent);
  --stroke: 2px;
  --focus: 4px;
  --busy: 1;
`;

export const THEME_CSS = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f3f6f8, #0e151b);
  --sheet: light-dark(#ffffff, #17212a);
  --line: light-dark(#d9e1e7, #2b3945);
  --edge: light-dark(#7b8a98, #738596);
  --text: light-dark(#16222d, #e7edf2);
  --soft: light-dark(#52616f, #a4b3c0);
  --accent: light-dark(#0b5f7d, #6cc5e2);
  --accent-over: light-dark(#084a62, #93d6ec);
  --on-accent: light-dark(#ffffff, #06222e);
  --quiet-over: light-dark(#e8eff3, #202d38);
  --alert: light-dark(#8f1d14, #ffb4ab);
  --alert-ground: light-dark(#fdeeec, #3a1d1c);
  --warn: light-dark(#7d4b00, #f2c27b);
  --warn-ground: light-dark(#fcf1df, #38280f);
  --note-ground: light-dark(#eaf3f7, #1a2f3a);
  --current: light-dark(#dcebf2, #1d3642);
  --good: light-dark(#145c2e, #9be0b3);
  --good-ground: light-dark(#e3f4e8, #173424);
  --rest: var(--edge);
  --stripe: var(--alert-ground);
  --badge-edge: transparent;
  --mark: none;
  --stroke: 1px;
  --focus: 3px;
  --busy: 0.6;
  --shadow: 0 1px 2px light-dark(#16222d14, #0000), 0 12px 32px light-dark(#16222d14, #0000);
  --radius: 0.5rem;
  --radius-large: 0.875rem;
  --radius-small: 0.375rem;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --font-code: ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace;
}
:root[data-theme="light"] {
  color-scheme: light;
}
:root[data-theme="dark"] {
  color-scheme: dark;
}
:root[data-theme="contrast"] {${HIGH_CONTRAST}}
@media (prefers-contrast: more) {
  :root {${HIGH_CONTRAST}}
}
@media (forced-colors: active) {
  :root,
  :root[data-theme] {
    --ground: Canvas;
    --sheet: Canvas;
    --line: CanvasText;
    --edge: GrayText;
    --text: CanvasText;
    --soft: CanvasText;
    --accent: LinkText;
    --quiet-over: Canvas;
    --alert: CanvasText;
    --alert-ground: Canvas;
    --warn: CanvasText;
    --warn-ground: Canvas;
    --current: Canvas;
    --good: CanvasText;
    --rest: GrayText;
    --stripe: Canvas;
    --badge-edge: CanvasText;
    --busy: 1;
  }
}
`;
