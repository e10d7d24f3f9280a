import { attributes, type Html, html, type Part } from "./html.ts";

/** The form field of an organization's name. Part of the form's wire format, hence its spelling. */
export const ORGANIZATION_FIELD = "organization";

/** A labeled input. Label and hint refer to the input by id. */
export type Field = {
  readonly name: string;
  /** Needed if a page has several inputs of the same name. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly type?: "text" | "password";
  readonly autocomplete: string;
  readonly autofocus?: boolean;
  /** For codes: monospace. */
  readonly code?: boolean;
  readonly pattern?: string;
  readonly minlength?: number;
  readonly maxlength?: number;
};

/** A label and its required input. */
export function field(given: Field): Html {
  const { name, id = name, label, hint, code = false, type = "text" } = given;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const input = attributes({
    id,
    name,
    type,
    class: code && "code",
    // Never send a password back to the browser.
    value: type === "password" ? undefined : given.value,
    required: true,
    autocomplete: given.autocomplete,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    inputmode: "text",
    pattern: given.pattern,
    // Browsers show the title if the input does not match the pattern.
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

/** A form that carries the ticket of its sign-in in `login`. */
export function form(given: { action: string; login?: string | undefined; body: Part }): Html {
  const ticket =
    given.login !== undefined && html`<input type="hidden" name="login" value="${given.login}">`;
  return html`<form method="post" action="${given.action}">
${ticket}
${given.body}
</form>`;
}

/** Shows errors of the form and of the script. Focused if the page opens with an error, for screen readers. */
export function alert(error: string | undefined): Html {
  return html`<div class="alert" role="alert" tabindex="-1"${attributes({ autofocus: Boolean(error) })}>${error}</div>`;
}

/** A new password, entered twice (`password` and `password_again`), and the submit button. */
export function passwordFields(label: string, what = "Password"): Html[] {
  const password = { type: "password", autocomplete: "new-password", maxlength: 1024 } as const;
  return [
    field({
      ...password,
      name: "password",
      label: what,
      hint: "12 characters or more; random words work well",
      minlength: 12,
    }),
    field({ ...password, name: "password_again", label: `${what} again` }),
    button(label),
  ];
}

/** A submit button. `value` identifies the button, `action` overrides the form's action. */
export function button(
  label: Part,
  given: { name?: string; value?: string; quiet?: boolean; action?: string } = {},
): Html {
  const { name, value, quiet = false, action } = given;
  const values = { type: "submit", class: quiet && "quiet", name, value, formaction: action };
  return html`<button${attributes(values)}>${label}</button>`;
}

/**
 * A button for the passkey script, which shows it if the browser supports passkeys. The script sends
 * inputs of the enclosing form to `options`, and the response of the authenticator to `verify`.
 */
export function passkey(given: {
  kind: "get" | "create";
  label: string;
  /** The origin that passkeys are bound to; undefined if the server has no host name. */
  site: string | undefined;
  /** `${path}/options` and `${path}/verify`. */
  path: string;
  /** Inputs that are sent to `options`. */
  fields: readonly string[];
  /** Inputs that are sent to `verify`. */
  verifyFields: readonly string[];
  /** Whether it is the only action of its form. */
  alone?: boolean;
  /** Whether it is the main action of its page. */
  primary?: boolean;
}): Html {
  if (given.site === undefined) {
    const text = "Passkeys require a server that is reached by a host name, not by an IP address.";
    return given.kind === "get" ? html`` : html`<p class="soft">${text}</p>`;
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
<button type="button"${attributes({ class: !given.primary && "quiet" })}>${given.label}</button>
</div>
${given.primary && html`<noscript><p>Passkeys require JavaScript, which your browser has disabled.</p></noscript>`}`;
}

/** Formats a code of eight characters as two groups; leaves other texts unchanged. */
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

const MAX_BROWSER_NAME_CHARACTERS = 60;

/** A short name for a user agent. Clients can send anything, so never base a decision on it. */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([sign]) => sign.test(userAgent))?.[1];
  const system = SYSTEMS.find(([sign]) => sign.test(userAgent))?.[1];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.slice(0, MAX_BROWSER_NAME_CHARACTERS) || "unknown";
}
