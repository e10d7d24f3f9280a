import { alert, button, field, form, groupCode } from "./components.ts";
import { html } from "./html.ts";
import { page } from "./layout.ts";

/** The device chooses this text, so it is cut too short for instructions to the user. */
const MAX_USER_AGENT_CHARACTERS = 120;

/**
 * Asks for the `user_code` that a device shows (RFC 8628). A code in the URL is filled in, but the user
 * must submit it and thereby compare it.
 */
export function deviceCodePage(props: {
  readonly login: string;
  readonly error?: string | undefined;
  readonly userCode?: string | undefined;
}): string {
  const { login, error, userCode } = props;
  const body = html`<h1>Connect a device</h1>
${alert(error)}
<p class="soft">Enter the code that your device shows. Never enter a code that someone sent you.</p>
${form({
  action: "/device",
  login,
  body: [
    field({
      name: "user_code",
      label: "Code",
      hint: "Eight characters, such as BCDF-GHJK",
      value: userCode === undefined ? undefined : groupCode(userCode),
      autocomplete: "one-time-code",
      autofocus: true,
      code: true,
      pattern: String.raw`\s*[A-Za-z0-9]{4}[\s\-]*[A-Za-z0-9]{4}\s*`,
      maxlength: 32,
    }),
    button("Continue"),
  ],
})}`;
  return page({ title: error ? "Error: Connect a device" : "Connect a device", body });
}

/** Asks whether to sign in a device: `decision` is `allow` or `deny`. */
export function confirmDevicePage(props: {
  readonly login: string;
  readonly signedInAs?: string | undefined;
  readonly code: string;
  readonly client: string;
  readonly address: string;
  readonly userAgent: string;
}): string {
  const { login, signedInAs, address, client, userAgent } = props;
  const code = groupCode(props.code);
  const long = code.length > 16 ? " long" : "";
  const body = html`<h1>Sign in this device?</h1>
<p>A device at <strong>${address}</strong> wants to sign in${signedInAs !== undefined && html` as <strong>${signedInAs}</strong>`}. It must show this code:</p>
<p class="big-code${long}">${code}</p>
<dl>
<dt>Client</dt><dd>${client}</dd>
<dt>Address</dt><dd>${address}</dd>
<dt>User agent</dt><dd>${userAgent.slice(0, MAX_USER_AGENT_CHARACTERS)}</dd>
</dl>
<p class="note"><strong>Did someone ask you to open this page?</strong> Deny the request: the device would be able to act in your name.</p>
${form({
  action: "/oauth/confirm",
  login,
  body: html`<div class="row">
${button("Allow", { name: "decision", value: "allow" })}
${button("Deny", { name: "decision", value: "deny", quiet: true })}
</div>`,
})}`;
  return page({ title: "Sign in this device?", body });
}

const DATE_FORMAT: Intl.DateTimeFormatOptions = {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
};

/**
 * Asks whether to accept an invite: `decision` is `accept` or `decline`. With `localAccounts`, the page
 * also offers to create an account.
 */
export function invitePage(props: {
  readonly login: string;
  readonly group: string;
  readonly role: string;
  /** The address that the invite is restricted to, if any. */
  readonly email?: string | undefined;
  readonly expires: Date;
  readonly signedInAs?: string | undefined;
  readonly localAccounts: boolean;
}): string {
  const { login, group, role, email, expires, signedInAs, localAccounts } = props;
  const body = html`<h1>You are invited to ${group} as ${role}</h1>
<dl>
<dt>Group</dt><dd>${group}</dd>
<dt>Role</dt><dd>${role}</dd>
${email !== undefined && html`<dt>For</dt><dd>${email}</dd>`}
<dt>Valid until</dt><dd><time datetime="${expires.toISOString()}">${expires.toLocaleString("en-US", DATE_FORMAT)} UTC</time></dd>
${signedInAs !== undefined && html`<dt>Signed in as</dt><dd>${signedInAs}</dd>`}
</dl>
${form({
  action: "/oauth/accept",
  login,
  body: html`<div class="row">
${button("Accept", { name: "decision", value: "accept" })}
${button("Decline", { name: "decision", value: "decline", quiet: true })}
</div>`,
})}
${
  localAccounts &&
  html`<section>
<h2>Use a new account instead?</h2>
${form({ action: "/oauth/account", login, body: button("Create an account", { quiet: true }) })}
</section>`
}`;
  return page({ title: `Invite to ${group}`, body });
}
