import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";
import { alert, button, field, form, passkey } from "./parts.ts";

/**
 * Makes the first account of an installation, with the code that the server printed. Passwords are
 * sent as `password` and `password_again`.
 *
 * @example setupPage({ error: "The code is wrong.", values: { organisation: "acme" } })
 */
export function setupPage(props: {
  readonly error?: string | undefined;
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
    ...credentials(values.username, "Create account"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      path: "/setup/passkey",
      fields: ["code", "organisation", "username"],
      verifyFields: [],
    }),
  ],
})}`;
  return page({ title: error ? "Error: Set up Wharf" : "Set up Wharf", body, script: true });
}

/**
 * Makes a local account to accept an invite with. Passwords are sent as `password` and
 * `password_again`.
 *
 * @example newAccountPage({ login, group: "acme", role: "viewer" })
 */
export function newAccountPage(props: {
  readonly login: string;
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
    ...credentials(values.username, "Create account"),
    passkey({
      kind: "create",
      label: "Use a passkey instead",
      path: "/oauth/account/passkey",
      fields: ["login", "username"],
      verifyFields: ["login", "username"],
    }),
  ],
})}`;
  const title = error ? "Error: Create your account" : "Create your account";
  return page({ title, body, script: true });
}

function credentials(username: string | undefined, label: string): Html[] {
  const password = { type: "password", autocomplete: "new-password", maxlength: 1024 } as const;
  return [
    field({ name: "username", label: "Username", value: username, autocomplete: "username" }),
    field({ ...password, name: "password", label: "Password" }),
    field({ ...password, name: "password_again", label: "Password again" }),
    button(label),
  ];
}
