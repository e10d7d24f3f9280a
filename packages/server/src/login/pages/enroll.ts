import { alert, field, form, passkey, passwordFields } from "./components.ts";
import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";

/**
 * Makes the first account of an installation, with the code that the server printed. Passwords are
 * sent as `password` and `password_again`.
 */
export function setupPage(props: {
  readonly error?: string | undefined;
  /** Where passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly values?:
    | {
        readonly code?: string | undefined;
        readonly organisation?: string | undefined;
        readonly username?: string | undefined;
      }
    | undefined;
}): string {
  const { error, values = {} } = props;
  const body = html`<h1>Set up Wharf</h1>
${alert(error)}
<p class="soft">Create the first organisation and the account that owns it.</p>
${form({
  action: "/setup",
  body: [
    field({
      name: "code",
      label: "Setup code",
      hint: "The server printed it when it started",
      value: values.code,
      autocomplete: "one-time-code",
      autofocus: true,
      code: true,
    }),
    field({
      name: "organisation",
      label: "Organisation",
      value: values.organisation,
      autocomplete: "organization",
    }),
    usernameField(values.username),
    ...passwordFields("Create account"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      site: props.passkeySite,
      path: "/setup/passkey",
      fields: ["code", "organisation", "username"],
      verifyFields: ["code"],
    }),
  ],
})}`;
  return page({ title: error ? "Error: Set up Wharf" : "Set up Wharf", body, script: true });
}

/**
 * Makes a local account to accept an invite with. Passwords are sent as `password` and
 * `password_again`.
 */
export function newAccountPage(props: {
  readonly login: string;
  /** Where passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly error?: string | undefined;
  readonly values?: { readonly username?: string | undefined } | undefined;
  readonly group: string;
  readonly role: string;
}): string {
  const { login, error, values = {}, group, role } = props;
  const body = html`<h1>Create your account</h1>
${alert(error)}
<p>With it you join <strong>${group}</strong> as <strong>${role}</strong>.</p>
${form({
  action: "/oauth/account",
  login,
  body: [
    usernameField(values.username),
    ...passwordFields("Create account"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      site: props.passkeySite,
      path: "/oauth/account/passkey",
      fields: ["login", "username"],
      verifyFields: ["login"],
    }),
  ],
})}`;
  const title = error ? "Error: Create your account" : "Create your account";
  return page({ title, body, script: true });
}

/**
 * Replaces the password or the passkeys of a local account, with the code that the operator has
 * made for it.
 */
export function resetPage(props: {
  readonly error?: string | undefined;
  /** Where passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly values?: { readonly code?: string | undefined } | undefined;
}): string {
  const { error, values = {} } = props;
  const body = html`<h1>Reset your account</h1>
${alert(error)}
<p class="soft">What you choose here replaces your password and all your passkeys, and signs you out everywhere.</p>
${form({
  action: "/reset",
  body: [
    field({
      name: "code",
      label: "Reset code",
      hint: "Whoever runs this server has given it to you",
      value: values.code,
      autocomplete: "one-time-code",
      autofocus: true,
      code: true,
    }),
    ...passwordFields("Set password"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      site: props.passkeySite,
      path: "/reset/passkey",
      fields: ["code"],
      verifyFields: ["code"],
    }),
  ],
})}`;
  const title = error ? "Error: Reset your account" : "Reset your account";
  return page({ title, body, script: true });
}

function usernameField(value: string | undefined): Html {
  return field({ name: "username", label: "Username", value, autocomplete: "username" });
}
