import { type Html, html, safeUrl } from "./html.ts";
import { page } from "./layout.ts";

/** The start page of the server. */
export function welcomePage({ firstRun, api }: { firstRun: boolean; api: string }): string {
  const start = firstRun
    ? html`<p>This server is not set up yet. It prints a setup code at startup.</p>
<p><a class="button" href="/setup">Set up Wharf</a></p>`
    : html`<p><a class="button" href="/console/">Open the console</a></p>
<p><a class="button quiet" href="/account">Your account</a></p>`;
  const body = html`<h1>Wharf is running</h1>
<p class="soft">Access, registry and advisories of your container supply chain.</p>
${start}
<section>
<h2>Command line</h2>
${signInCommand(api)}
</section>
<section>
<h2>Connect a device</h2>
<p>Does a device or a remote shell show a code? <a href="/device">Enter it here</a>.</p>
</section>
<section>
<h2>API</h2>
<p><a href="/docs/">API reference</a> · <a href="/openapi.json">OpenAPI specification</a></p>
</section>`;
  return page({ title: "Welcome", body });
}

/** The command that signs in with the command-line tool. */
function signInCommand(api: string): Html {
  return html`<pre><code>wharf auth login --api ${api}</code></pre>`;
}

/** A link that leads on from a page. */
export interface Next {
  readonly label: string;
  readonly href: string;
}

export const TO_CONSOLE: Next = { label: "Open the console", href: "/console/" };
export const TO_ACCOUNT: Next = { label: "Your account", href: "/account" };
export const TO_SIGN_IN: Next = { label: "Sign in", href: "/console/sign-in" };
export const TO_START: Next = { label: "Start page", href: "/" };

/** The result of a flow that is complete, and where to go from here. */
export function donePage(props: {
  readonly title: string;
  readonly text: string;
  readonly next: Next;
  /** Whether another program or device continues, so that this window is no longer needed. */
  readonly canClose?: boolean;
  /** The address of the API, to show how the command-line tool signs in. */
  readonly api?: string | undefined;
}): string {
  const { title, text, next, canClose = false, api } = props;
  const body = html`<h1>${title}</h1>
<p role="status">${text}${canClose && " You can close this window."}</p>
<p><a class="button${canClose && " quiet"}" href="${next.href}">${next.label}</a></p>
${
  api !== undefined &&
  html`<section>
<h2>Command line</h2>
${signInCommand(api)}
</section>`
}`;
  return page({ title, body });
}

/** An error page: the failure, the next step, and the request ID that finds it in the log. */
export function errorPage(props: {
  readonly title: string;
  readonly text: string;
  readonly requestId: string;
  readonly next?: Next;
}): string {
  const { title, text, requestId, next = TO_START } = props;
  const body = html`<h1>${title}</h1>
<p role="alert">${text}</p>
<p><a class="button" href="${next.href}">${next.label}</a></p>
<p class="soft aside">Request ID: <code>${requestId}</code></p>`;
  return page({ title, body });
}

/**
 * Leads to another site after a form. A redirect would not work: browsers apply `form-action` to every redirect that
 * follows a form, and the redirects of an identity provider are unpredictable.
 */
export function continuePage(props: {
  readonly title: string;
  readonly text: string;
  readonly url: string;
}): string {
  const { title, text } = props;
  const url = safeUrl(props.url);
  const body = html`<h1>${title}</h1>
<p>${text}</p>
<p><a class="button" href="${url}">Continue</a></p>`;
  return page({ title, body, refresh: url === "#" ? undefined : url });
}
