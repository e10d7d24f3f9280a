import { THEME_CSS } from "./theme.ts";

/** The style sheet of the sign-in pages. */
export const STYLE_CSS = `${THEME_CSS}*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  padding: 1.5rem 1rem 3rem;
  display: flex;
  flex-direction: column;
  align-items: center;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.5 var(--font);
  overflow-wrap: anywhere;
}
header {
  width: 100%;
  max-width: 27rem;
  margin: clamp(0rem, 5vh, 4rem) 0 1.25rem;
  display: flex;
  align-items: center;
  gap: 0.625rem;
  color: var(--accent);
}
header a { display: flex; align-items: center; gap: 0.625rem; color: inherit; text-decoration: none; border-radius: var(--radius-small); }
header span { color: var(--text); font-size: 1.25rem; font-weight: 650; letter-spacing: -0.01em; }
main {
  width: 100%;
  max-width: 27rem;
  padding: 2rem;
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: var(--radius-large);
  box-shadow: var(--shadow);
}
h1, h2, p, ul, dl, dd { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; text-wrap: balance; }
h2 { font-size: 1rem; line-height: 1.4; font-weight: 650; }
main > * + * { margin-top: 1rem; }
main > section { margin-top: 1.75rem; }
section + section, form + section { padding-top: 1.5rem; border-top: 1px solid var(--line); }
section > * + * { margin-top: 0.75rem; }
form { display: grid; gap: 1rem; }
ul { list-style: none; padding: 0; display: grid; gap: 0.625rem; }
/* Isolates the writing direction of names that others chose. */
strong, dd, small, code, .big-code { unicode-bidi: isolate; }
.soft, .hint { color: var(--soft); }
.hint { font-size: 0.875rem; margin: 0 0 0.375rem; }
label { display: block; font-weight: 600; margin-bottom: 0.25rem; }
input:not([type="hidden"]) {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  font: inherit;
  color: var(--text);
  background: var(--sheet);
  border: var(--stroke) solid var(--edge);
  border-radius: var(--radius);
}
input.code { font-family: var(--font-code); letter-spacing: 0.06em; }
button, a.button {
  display: block;
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  font: inherit;
  font-weight: 600;
  line-height: 1.4;
  text-align: center;
  text-decoration: none;
  color: var(--on-accent);
  background: var(--accent);
  border: var(--stroke) solid var(--accent);
  border-radius: var(--radius);
  cursor: pointer;
}
a.button { display: flex; align-items: center; justify-content: center; }
button:hover, a.button:hover { background: var(--accent-over); border-color: var(--accent-over); }
button.quiet, a.button.quiet { color: var(--text); background: var(--sheet); border-color: var(--edge); }
button.quiet:hover, a.button.quiet:hover { background: var(--quiet-over); }
button:disabled { opacity: 0.6; cursor: progress; }
button small { display: block; font-size: 0.875rem; font-weight: 400; }
button.quiet small { color: var(--soft); }
a { color: var(--accent); }
:focus-visible { outline: var(--focus) solid var(--accent); outline-offset: 2px; }
.aside { font-size: 0.875rem; }
pre { margin: 0; padding: 0.75rem 1rem; overflow-x: auto; background: var(--ground); border-radius: var(--radius-small); white-space: pre-wrap; }
details > summary { cursor: pointer; color: var(--accent); font-weight: 600; border-radius: var(--radius-small); }
details[open] > summary { margin-bottom: 0.75rem; }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 0.75rem; }
.or { display: flex; align-items: center; gap: 0.75rem; margin: 0 0 1rem; color: var(--soft); font-size: 0.875rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.alert { padding: 0.75rem 1rem; color: var(--alert); background: var(--alert-ground); border-left: 4px solid var(--alert); border-radius: var(--radius-small); font-weight: 500; }
.alert:empty { display: none; }
.alert:focus-visible { outline-color: var(--alert); }
.note { padding: 0.75rem 1rem; background: var(--note-ground); border-left: 4px solid var(--accent); border-radius: var(--radius-small); }
.big-code { font: 600 1.75rem/1.3 var(--font-code); letter-spacing: 0.08em; text-align: center; padding: 0.875rem; background: var(--ground); border-radius: var(--radius); }
.big-code.long { font-size: 1rem; letter-spacing: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1rem; }
dt { color: var(--soft); }
dd { min-width: 0; }
code { font: 0.9375em var(--font-code); }
@media (max-width: 30rem) {
  body { padding: 1rem 0.75rem 2rem; }
  main { padding: 1.5rem 1.25rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd + dt { margin-top: 0.5rem; }
}
@media (forced-colors: active) {
  main, .alert, .note, .big-code { border: 1px solid; }
}
`;
