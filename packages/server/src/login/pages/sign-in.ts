import { alert, button, field, form, ORGANIZATION_FIELD, passkey } from "./components.ts";
import { attributes, type Html, html } from "./html.ts";
import { page } from "./layout.ts";

/** The ways to sign in that this installation has. */
export type SignInWays = {
  readonly providers: readonly {
    readonly uid: string;
    readonly name: string;
    readonly organization: string;
  }[];
  /** Whether somebody has a password. */
  readonly password: boolean;
  /** Whether somebody has a passkey. */
  readonly passkey: boolean;
};

export type SignInProps = SignInWays & {
  readonly login: string;
  readonly error?: string | undefined;
  /** The reason for a sign-in that the user did not request. */
  readonly notice?: string | undefined;
  /** The last input. */
  readonly organization?: string | undefined;
  readonly username?: string | undefined;
  /** Whether setup is still to be done. */
  readonly firstRun?: boolean;
  /** The host name at which passkeys work. */
  readonly passkeySite?: string | undefined;
  readonly invite?:
    | {
        readonly group: string;
        readonly role: string;
        /** Whether it can be accepted with a new local account. */
        readonly newAccount: boolean;
      }
    | undefined;
};

/** The sign-in page: only the ways that exist. */
export function signInPage(props: SignInProps): string {
  const { login, error, notice, providers, password, passkey, invite } = props;
  const isLocal = password || passkey;
  const canCreate = invite?.newAccount ?? false;
  const body = html`<h1>Sign in</h1>
${alert(error)}
${notice !== undefined && html`<p role="status">${notice}</p>`}
${
  invite !== undefined &&
  html`<p>You are invited to <strong>${invite.group}</strong> as <strong>${invite.role}</strong>. Sign in to accept.</p>`
}
${providers.length > 0 && providerButtons(props)}
${isLocal && localAccount(props)}
${canCreate && newAccount(login)}
${providers.length === 0 && !isLocal && !canCreate && noWay(props)}`;
  return page({ title: error ? "Error: Sign in" : "Sign in", body, script: isLocal });
}

/** All identity providers, and a form for the organizations whose providers are hidden. */
function providerButtons({ login, providers, organization }: SignInProps): Html {
  const list = providers.map(
    ({ uid, name, organization: owner }) =>
      html`<li>${button(html`Continue with ${name} <small>${owner}</small>`, { name: "provider", value: uid, quiet: true })}</li>`,
  );
  const other = form({
    action: "/oauth/provider",
    login,
    body: [
      field({
        name: ORGANIZATION_FIELD,
        label: "Organization",
        hint: "Its name, such as example.com",
        value: organization,
        autocomplete: "organization",
      }),
      button("Continue"),
    ],
  });
  return html`<section>
<h2>With your organization</h2>
${form({ action: "/oauth/provider", login, body: html`<ul>${list}</ul>` })}
<details${attributes({ open: organization !== undefined })}>
<summary>Another organization</summary>
${other}
</details>
</section>`;
}

function localAccount(props: SignInProps): Html {
  const { login, passkeySite: site, username, password, passkey: hasPasskeys, providers } = props;
  const fields = [
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
  ];
  const passkeyButton =
    hasPasskeys &&
    passkey({
      kind: "get",
      label: "Use a passkey",
      site,
      path: "/oauth/passkey",
      fields: ["login"],
      verifyFields: ["login"],
      alone: !password,
      primary: !password,
    });
  return html`<section>
${providers.length > 0 && html`<h2>With a local account</h2>`}
${form({ action: "/oauth/local", login, body: [password && fields, passkeyButton] })}
<p class="aside"><a href="/reset">${password ? "Forgot your password?" : "Lost your passkey?"}</a></p>
</section>`;
}

/** Instructions where nobody can sign in. */
function noWay({ firstRun = false }: SignInProps): Html {
  if (firstRun)
    return html`<p>This server is not set up yet. It prints a setup code at startup.</p>
<p><a class="button" href="/setup">Set up Wharf</a></p>`;
  return html`<p>There is no account to sign in with yet. Ask an owner of your organization for an invite, or the operator of this server to add an identity provider.</p>
<p><a class="button quiet" href="/">Start page</a></p>`;
}

/** Posted without a username, the endpoint shows the form of a new account. */
function newAccount(login: string): Html {
  return html`<section>
<h2>New here?</h2>
${form({ action: "/oauth/account", login, body: button("Create an account", { quiet: true }) })}
</section>`;
}
