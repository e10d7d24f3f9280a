import { alert, button, field, form, ORGANIZATION_FIELD, passkey } from "./components.ts";
import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";

export type SignInProps = {
  readonly login: string;
  readonly error?: string | undefined;
  /** The last input. */
  readonly organization?: string | undefined;
  readonly username?: string | undefined;
  readonly providers: readonly {
    readonly uid: string;
    readonly name: string;
    readonly organization: string;
  }[];
  readonly localAccounts: boolean;
  /** Where passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly invite?:
    | {
        readonly group: string;
        readonly role: string;
        /** The address that it is restricted to, if any. */
        readonly email?: string | undefined;
      }
    | undefined;
};

/** The sign-in page: by identity provider, by name of an organization, or with a local account. */
export function signInPage(props: SignInProps): string {
  const { login, error, providers, localAccounts, invite } = props;
  const body = html`<h1>Sign in</h1>
${alert(error)}
${
  invite !== undefined &&
  html`<p>You are invited to <strong>${invite.group}</strong> as <strong>${invite.role}</strong>. Sign in to accept.</p>`
}
${providers.length > 0 && providerButtons(props)}
<section>
<h2>With your organization</h2>
${form({
  action: "/oauth/provider",
  login,
  body: [
    field({
      name: ORGANIZATION_FIELD,
      label: "Organization",
      hint: "Its name, such as example.com",
      value: props.organization,
      autocomplete: "organization",
    }),
    button("Continue"),
  ],
})}
</section>
${localAccounts && localAccount(props)}
${localAccounts && invite !== undefined && !invite.email && newAccount(login)}`;
  return page({ title: error ? "Error: Sign in" : "Sign in", body, script: localAccounts });
}

function providerButtons({ login, providers }: SignInProps): Html {
  const list = providers.map(
    ({ uid, name, organization }) =>
      html`<li>${button(html`Continue with ${name} <small>${organization}</small>`, { name: "provider", value: uid, quiet: true })}</li>`,
  );
  return html`<section>
<h2>With an identity provider</h2>
${form({ action: "/oauth/provider", login, body: html`<ul>${list}</ul>` })}
</section>`;
}

function localAccount({ login, passkeySite: site, username }: SignInProps): Html {
  const body = [
    field({
      name: "username",
      label: "Username",
      value: username,
      autocomplete: "username webauthn",
    }),
    field({
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "current-password",
      maxlength: 1024,
    }),
    button("Sign in"),
    passkey({
      kind: "get",
      label: "Use a passkey",
      site,
      path: "/oauth/passkey",
      fields: ["login"],
      verifyFields: ["login"],
    }),
  ];
  return html`<section>
<h2>With a local account</h2>
${form({ action: "/oauth/local", login, body })}
</section>`;
}

/** Posted without a username, the endpoint shows the form of a new account. */
function newAccount(login: string): Html {
  return html`<section>
<h2>New here?</h2>
${form({ action: "/oauth/account", login, body: button("Create an account", { quiet: true }) })}
</section>`;
}
