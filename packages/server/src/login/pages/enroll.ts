import { alert, field, form, ORGANIZATION_FIELD, passkey, passwordFields } from "./components.ts";
import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";

/**
 * Creates the first account of an installation with the setup code. Passwords are sent as `password`
 * and `password_again`.
 */
export function setupPage(props: {
  readonly error?: string | undefined;
  /** The host name at which passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly values?:
    | {
        readonly code?: string | undefined;
        readonly organization?: string | undefined;
        readonly username?: string | undefined;
      }
    | undefined;
}): string {
  const { error, values = {} } = props;
  const body = html`<h1>Set up Wharf</h1>
${alert(error)}
<p class="soft">Create the first organization and the account that owns it.</p>
${form({
  action: "/setup",
  body: [
    field({
      name: "code",
      label: "Setup code",
      hint: "The server prints it at startup",
      value: values.code,
      autocomplete: "one-time-code",
      autofocus: true,
      code: true,
    }),
    field({
      name: ORGANIZATION_FIELD,
      label: "Organization",
      value: values.organization,
      autocomplete: "organization",
    }),
    usernameField(values.username),
    ...passwordFields("Create account"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      site: props.passkeySite,
      path: "/setup/passkey",
      fields: ["code", ORGANIZATION_FIELD, "username"],
      verifyFields: ["code"],
    }),
  ],
})}`;
  return page({ title: error ? "Error: Set up Wharf" : "Set up Wharf", body, script: true });
}

/** Creates a local account to accept an invite. Passwords are sent as on the setup page. */
export function newAccountPage(props: {
  readonly login: string;
  /** The host name at which passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly error?: string | undefined;
  readonly values?: { readonly username?: string | undefined } | undefined;
  readonly group: string;
  readonly role: string;
}): string {
  const { login, error, values = {}, group, role } = props;
  const body = html`<h1>Create your account</h1>
${alert(error)}
<p>You join <strong>${group}</strong> as <strong>${role}</strong>.</p>
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

/** Replaces the password and passkeys of a local account, with a reset code from the operator. */
export function resetPage(props: {
  readonly error?: string | undefined;
  /** The host name at which passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly values?: { readonly code?: string | undefined } | undefined;
}): string {
  const { error, values = {} } = props;
  const body = html`<h1>Reset your account</h1>
${alert(error)}
<p class="soft">This replaces your password and all your passkeys, and signs you out everywhere.</p>
<details>
<summary>You have no code?</summary>
<p>Ask the operator of this server. They create one, which works once and for 24 hours, with this command:</p>
<pre><code>wharf admin reset-account &lt;username&gt;</code></pre>
<p class="soft">If you can still sign in in another way, such as with a passkey, choose a new password in <a href="/account">your account</a> instead.</p>
</details>
${form({
  action: "/reset",
  body: [
    field({
      name: "code",
      label: "Reset code",
      hint: "The operator of this server gives it to you",
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
