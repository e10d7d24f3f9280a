import { alert, browserName, button, field, form, passkey, passwordFields } from "./components.ts";
import { type Html, html, type Part } from "./html.ts";
import { page } from "./layout.ts";

/** Confirmations of actions, by the `done` parameter of the redirect back to this page. */
const DONE = {
  password: "Password set. All your sessions have ended.",
  added: "Passkey added.",
  named: "Passkey renamed.",
  removed: "Passkey removed. Remove it from your device, too.",
  ended: "Session ended.",
  "ended-all": "All your sessions have ended.",
} as const;

export type Done = keyof typeof DONE;

export function isDone(text: string): text is Done {
  return Object.hasOwn(DONE, text);
}

export type AccountProps = {
  /** The secret that every form of the visit must hold. */
  readonly form: string;
  readonly error?: string | undefined;
  readonly done?: Done | undefined;
  readonly name: string;
  readonly identity: string;
  /** The name of the identity provider that they signed in with. */
  readonly provider?: string | undefined;
  /** Set for people with a local account. */
  readonly local?:
    | {
        readonly hasPassword: boolean;
        readonly passkeys: readonly {
          readonly credentialId: string;
          readonly name: string;
          readonly created: number;
          readonly used: number;
        }[];
        /** Where passkeys work. */
        readonly passkeySite?: string | undefined;
      }
    | undefined;
  readonly sessions: readonly {
    readonly id: string;
    readonly userAgent: string;
    readonly remoteAddress: string;
    readonly created: number;
    readonly used: number;
  }[];
  readonly hasMoreSessions: boolean;
};

/** Shows people their own account and lets them manage credentials and sessions. */
export function accountPage(props: AccountProps): string {
  const { error, done, name, identity, provider, local } = props;
  const body = html`<h1>Your account</h1>
${alert(error)}
${error === undefined && done !== undefined && html`<p class="note" role="status">${DONE[done]}</p>`}
<dl>
<dt>Name</dt><dd>${name}</dd>
<dt>Signed in with</dt><dd>${provider ?? "a local account"}</dd>
<dt>Identity UID</dt><dd><code>${identity}</code></dd>
</dl>
${local && passwordSection(props.form, local)}
${local && passkeySection(props.form, local)}
${sessionSection(props)}
<section>
${form({ action: "/account/leave", login: props.form, body: button("Sign out", { quiet: true }) })}
</section>`;
  const title = error ? "Error: Your account" : "Your account";
  return page({ title, body, script: local !== undefined });
}

type Local = NonNullable<AccountProps["local"]>;

function passwordSection(login: string, { hasPassword }: Local): Html {
  const current =
    hasPassword &&
    field({
      name: "current",
      label: "Current password",
      type: "password",
      autocomplete: "current-password",
      maxlength: 1024,
    });
  const label = hasPassword ? "Change password" : "Set password";
  return html`<section>
<h2>Password</h2>
<p class="soft">${hasPassword ? "" : "You have no password. "}A new password ends all your sessions.</p>
${form({ action: "/account/password", login, body: [current, ...passwordFields(label, "New password")] })}
</section>`;
}

function passkeySection(login: string, { passkeys, passkeySite: site }: Local): Html {
  const rows = passkeys.map(({ credentialId, name, created, used }, index) => {
    const id = html`<input type="hidden" name="passkey" value="${credentialId}">`;
    const nameField = field({
      name: "name",
      id: `passkey-${index}`,
      label: `Name of passkey ${index + 1}`,
      hint: `Added ${day(created)}, last used ${day(used)}`,
      value: name,
      autocomplete: "off",
      maxlength: 64,
    });
    const remove = { action: "/account/passkeys/remove" };
    const buttons = html`<div class="row">${button("Rename", { quiet: true })}${button("Remove", { quiet: true, ...remove })}</div>`;
    return html`<li>${form({ action: "/account/passkeys/name", login, body: [id, nameField, buttons] })}</li>`;
  });
  return html`<section>
<h2>Passkeys</h2>
${passkeys.length === 0 ? html`<p class="soft">You have no passkeys.</p>` : html`<ul class="apart">${rows}</ul>`}
${form({
  action: "/account",
  login,
  body: passkey({
    kind: "create",
    label: "Add a passkey",
    alone: true,
    site,
    path: "/account/passkeys",
    fields: ["login"],
    verifyFields: ["login"],
  }),
})}
</section>`;
}

function sessionSection({ form: login, sessions, hasMoreSessions }: AccountProps): Html {
  const rows = sessions.map(
    ({ id, userAgent, remoteAddress, created, used }) => html`<li>
<p><strong>${browserName(userAgent)}</strong> <span class="soft">from ${remoteAddress}, since ${minute(created)}, last used ${minute(used)}</span></p>
${form({ action: "/account/sessions/end", login, body: [html`<input type="hidden" name="session" value="${id}">`, button(html`End session<span class="unseen"> of ${browserName(userAgent)} since ${minute(created)}</span>`, { quiet: true })] })}
</li>`,
  );
  const shown: Part =
    rows.length === 0
      ? html`<p class="soft">No active sessions.</p>`
      : html`<ul class="apart">${rows}</ul>
${hasMoreSessions && html`<p class="soft">Only the newest sessions are shown.</p>`}
${form({ action: "/account/sessions/end-all", login, body: button("End all sessions", { quiet: true }) })}`;
  return html`<section>
<h2>Sessions</h2>
${shown}
</section>`;
}

function day(time: number): Html {
  return html`${new Date(time).toISOString().slice(0, 10)}`;
}

function minute(time: number): Html {
  return html`${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
