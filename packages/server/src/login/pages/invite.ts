import { html } from "./html.ts";
import { page } from "./layout.ts";
import { button, form } from "./parts.ts";

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
