import { attributes, type Html, html, type Part } from "./html.ts";

/** The form field of an organization's name. Part of the form's wire format, hence its spelling. */
export const ORGANIZATION_FIELD = "organization";

/** A labeled input. Label and hint refer to the input by id. */
export type Field = {
  readonly name: string;
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
export function field(props: Field): Html {
  const { name, label, hint, code = false, type = "text" } = props;
  const hintId = hint === undefined ? undefined : `${name}-hint`;
  const input = attributes({
    id: name,
    name,
    type,
    class: code && "code",
    // Never send a password back to the browser.
    value: type === "password" ? undefined : props.value,
    required: true,
    autocomplete: props.autocomplete,
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    inputmode: "text",
    pattern: props.pattern,
    // Browsers show the title if the input does not match the pattern.
    title: props.pattern === undefined ? undefined : hint,
    minlength: props.minlength,
    maxlength: props.maxlength ?? 256,
    autofocus: props.autofocus ?? false,
    "aria-describedby": hintId,
  });
  return html`<div class="field">
<label for="${name}">${label}</label>
${hintId !== undefined && html`<p class="hint" id="${hintId}">${hint}</p>`}
<input${input}>
</div>`;
}

/** A form that carries the ticket of its sign-in in `login`. */
export function form(props: { action: string; login?: string | undefined; body: Part }): Html {
  const ticket =
    props.login !== undefined && html`<input type="hidden" name="login" value="${props.login}">`;
  return html`<form method="post" action="${props.action}">
${ticket}
${props.body}
</form>`;
}

/** Shows errors of the form and of the script. Focused if the page opens with an error, for screen readers. */
export function alert(error: string | undefined): Html {
  return html`<div class="alert" role="alert" tabindex="-1"${attributes({ autofocus: Boolean(error) })}>${error}</div>`;
}

/** A new password, entered twice (`password` and `password_again`), and the submit button. */
export function passwordFields(label: string): Html[] {
  const password = { type: "password", autocomplete: "new-password", maxlength: 1024 } as const;
  return [
    field({
      ...password,
      name: "password",
      label: "Password",
      hint: "12 characters or more; random words work well",
      minlength: 12,
    }),
    field({ ...password, name: "password_again", label: "Password again" }),
    button(label),
  ];
}

/** A submit button. `value` identifies the button. */
export function button(
  label: Part,
  props: { name?: string; value?: string; quiet?: boolean } = {},
): Html {
  const { name, value, quiet = false } = props;
  const values = { type: "submit", class: quiet && "quiet", name, value };
  return html`<button${attributes(values)}>${label}</button>`;
}

/**
 * A button for the passkey script, which shows it if the browser supports passkeys. The script sends
 * inputs of the enclosing form to `options`, and the response of the authenticator to `verify`.
 */
export function passkey(props: {
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
  if (props.site === undefined) {
    const text = "Passkeys require a server that is reached by a host name, not by an IP address.";
    return props.kind === "get" ? html`` : html`<p class="soft">${text}</p>`;
  }
  const data = attributes({
    "data-passkey": props.kind,
    "data-site": props.site,
    "data-options": `${props.path}/options`,
    "data-verify": `${props.path}/verify`,
    "data-fields": props.fields.join(" "),
    "data-verify-fields": props.verifyFields.join(" "),
  });
  return html`<div class="passkey" hidden${data}>
${!props.alone && html`<p class="or"><span>or</span></p>`}
<button type="button"${attributes({ class: !props.primary && "quiet" })}>${props.label}</button>
</div>
${props.primary && html`<noscript><p>Passkeys require JavaScript, which your browser has disabled.</p></noscript>`}`;
}

/** Formats a code of eight characters as two groups; leaves other texts unchanged. */
export function groupCode(code: string): string {
  const plain = code.replace(/[\s-]/g, "").toUpperCase();
  return /^[A-Z0-9]{8}$/.test(plain) ? `${plain.slice(0, 4)}-${plain.slice(4)}` : code;
}
