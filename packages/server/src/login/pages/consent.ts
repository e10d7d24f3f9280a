import { alert, button, field, form, groupCode } from "./components.ts";
import { html } from "./html.ts";
import { page } from "./layout.ts";

/** Whoever runs the tool writes this text, so it gets no room to tell stories. */
const MOST_OF_USER_AGENT = 120;

/**
 * Asks for the code that a tool shows, as `user_code` (RFC 8628). A code that came with the address
 * is filled in, yet must be sent by hand: that is when people compare it.
 */
export function deviceCodePage(props: {
  readonly login: string;
  readonly error?: string | undefined;
  readonly userCode?: string | undefined;
}): string {
  const { login, error, userCode } = props;
  const body = html`<h1>Connect a tool</h1>
${alert(error)}
<p class="soft">Enter the code that the tool shows you. Never enter a code that somebody sent you.</p>
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
  return page({ title: error ? "Error: Connect a tool" : "Connect a tool", body });
}

/** Asks whether the tool that waits elsewhere is one's own: `decision` is `allow` or `deny`. */
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
  const body = html`<h1>Is this you?</h1>
<p>A tool at <strong>${address}</strong> wants to sign in${signedInAs !== undefined && html` as <strong>${signedInAs}</strong>`}. The tool must show this code:</p>
<p class="big-code${long}">${code}</p>
<dl>
<dt>Tool</dt><dd>${client}</dd>
<dt>Address</dt><dd>${address}</dd>
<dt>Says it is</dt><dd>${userAgent.slice(0, MOST_OF_USER_AGENT)}</dd>
</dl>
<p class="note"><strong>Did somebody ask you to open this page?</strong> Then deny. Whoever runs the tool will be able to act in your name.</p>
${form({
  action: "/oauth/confirm",
  login,
  body: html`<div class="row">
${button("Allow", { name: "decision", value: "allow" })}
${button("Deny", { name: "decision", value: "deny", quiet: true })}
</div>`,
})}`;
  return page({ title: "Is this you?", body });
}

const WHEN: Intl.DateTimeFormatOptions = {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
};

/**
 * Asks whether to accept an invite: `decision` is `accept` or `decline`. With `localAccounts`, a new
 * account can be made for it instead.
 */
export function invitePage(props: {
  readonly login: string;
  readonly group: string;
  readonly role: string;
  /** Whom the invite is for, if not for anyone who holds it. */
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
<dt>Valid until</dt><dd><time datetime="${expires.toISOString()}">${expires.toLocaleString("en-GB", WHEN)} UTC</time></dd>
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
<h2>Rather with a new account?</h2>
${form({ action: "/oauth/account", login, body: button("Create an account", { quiet: true }) })}
</section>`
}`;
  return page({ title: `Invite to ${group}`, body });
}
