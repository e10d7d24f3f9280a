import { attributes, type Html, html, type Part } from "./html.ts";

/**
 * What forms are made of. Each input has a label; hints and labels are tied to it by id.
 */
export type Field = {
  readonly name: string;
  /** What labels and hints are tied to, where a page has several of the same name. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly type?: "text" | "password";
  readonly autocomplete: string;
  readonly autofocus?: boolean;
  /** For codes: a fixed-width face, and nothing that corrects or capitalises. */
  readonly code?: boolean;
  readonly pattern?: string;
  readonly minlength?: number;
  readonly maxlength?: number;
};

/** A label and its input; all are required. */
export function field(given: Field): Html {
  const { name, id = name, label, hint, code = false, type = "text" } = given;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const input = attributes({
    id,
    name,
    type,
    class: code && "code",
    // A password is never sent back to the browser.
    value: type === "password" ? undefined : given.value,
    required: true,
    autocomplete: given.autocomplete,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    inputmode: "text",
    pattern: given.pattern,
    // Browsers show the title when the pattern does not match.
    title: given.pattern === undefined ? undefined : hint,
    minlength: given.minlength,
    maxlength: given.maxlength ?? 256,
    autofocus: given.autofocus ?? false,
    "aria-describedby": hintId,
  });
  return html`<div class="field">
<label for="${id}">${label}</label>
${hintId !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
<input${input}>
</div>`;
}

/** A form that is tied to its login: the ticket goes along in `login`. */
export function form(given: { action: string; login?: string | undefined; body: Part }): Html {
  const ticket =
    given.login !== undefined && html`<input type="hidden" name="login" value="${given.login}">`;
  return html`<form method="post" action="${given.action}">
${ticket}
${given.body}
</form>`;
}

/**
 * Where errors stand: those of the last try, and later those of the script. It takes the focus when
 * the page opens with an error, so that it is read out first.
 */
export function alert(error: string | undefined): Html {
  return html`<div class="alert" role="alert" tabindex="-1"${attributes({ autofocus: Boolean(error) })}>${error}</div>`;
}

/** A new password, typed twice, and the button that sends it: `password` and `password_again`. */
export function passwordFields(label: string, what = "Password"): Html[] {
  const password = { type: "password", autocomplete: "new-password", maxlength: 1024 } as const;
  return [
    field({
      ...password,
      name: "password",
      label: what,
      hint: "At least 12 characters; several words are good",
      minlength: 12,
    }),
    field({ ...password, name: "password_again", label: `${what} again` }),
    button(label),
  ];
}

/** A button that submits; `value` tells the server which one it was, `action` sends it elsewhere. */
export function button(
  label: Part,
  given: { name?: string; value?: string; quiet?: boolean; action?: string } = {},
): Html {
  const { name, value, quiet = false, action } = given;
  const values = { type: "submit", class: quiet && "quiet", name, value, formaction: action };
  return html`<button${attributes(values)}>${label}</button>`;
}

/**
 * A button for the script, shown once it finds that the browser knows passkeys. The script sends
 * the named inputs of the form around it to `options`, and the answer of the passkey to `verify`.
 */
export function passkey(given: {
  kind: "get" | "create";
  label: string;
  /** The origin that passkeys belong to; undefined where the server has no name to bind them to. */
  site: string | undefined;
  /** `${path}/options` and `${path}/verify`. */
  path: string;
  /** Inputs that go to `options`. */
  fields: readonly string[];
  /** Inputs that go to `verify`. */
  verifyFields: readonly string[];
  /** Whether it is the only thing that its form does. */
  alone?: boolean;
}): Html {
  if (given.site === undefined) {
    const why = "Passkeys need a server that is reached by a name, not by an address.";
    return given.kind === "get" ? html`` : html`<p class="soft">${why}</p>`;
  }
  const data = attributes({
    "data-passkey": given.kind,
    "data-site": given.site,
    "data-options": `${given.path}/options`,
    "data-verify": `${given.path}/verify`,
    "data-fields": given.fields.join(" "),
    "data-verify-fields": given.verifyFields.join(" "),
  });
  return html`<div class="passkey" hidden${data}>
${!given.alone && html`<p class="or"><span>or</span></p>`}
<button type="button" class="quiet">${given.label}</button>
</div>`;
}

/** A code as people read it: eight characters in two halves, anything else as it is. */
export function groupCode(code: string): string {
  const plain = code.replace(/[\s-]/g, "").toUpperCase();
  return /^[A-Z0-9]{8}$/.test(plain) ? `${plain.slice(0, 4)}-${plain.slice(4)}` : code;
}

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

/** Longer ones tell people nothing more. */
const LONGEST = 60;

/**
 * What people call a browser or tool, from what it says of itself. It can say anything: for recognising one's own,
 * never for deciding.
 */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => sign.test(userAgent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.slice(0, LONGEST) || "unknown";
}
