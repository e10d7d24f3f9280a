import { html, safeUrl } from "./html.ts";
import { page } from "./layout.ts";

/** The start page of the server. */
export function welcomePage({ firstRun, api }: { firstRun: boolean; api: string }): string {
  const start = firstRun
    ? html`<p>This server is not set up yet. It prints a setup code at startup.</p>
<p><a class="button" href="/setup">Set up Wharf</a></p>`
    : html`<p><a class="button" href="/account">Your account</a></p>`;
  const body = html`<h1>Wharf is running</h1>
<p class="soft">Access, registry and advisories of your container supply chain.</p>
${start}
<section>
<h2>Command line</h2>
<p><code>wharf auth login --api ${api}</code></p>
</section>
<section>
<h2>API</h2>
<p><a href="/openapi.json">OpenAPI specification</a></p>
</section>`;
  return page({ title: "Welcome", body });
}

/** The result of a flow that is complete. */
export function donePage(props: {
  readonly title: string;
  readonly text: string;
  readonly detail?: string | undefined;
}): string {
  const { title, text, detail } = props;
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${detail !== undefined && html`<p class="soft">${detail}</p>`}
<p class="soft">You can close this window.</p>`;
  return page({ title, body });
}

/** What failed, and the request ID that finds it in the log. */
export function errorPage(props: {
  readonly title: string;
  readonly text: string;
  readonly requestId: string;
  readonly retry?: string | undefined;
}): string {
  const { title, text, requestId, retry } = props;
  const body = html`<h1>${title}</h1>
<p role="alert">${text}</p>
${retry !== undefined && html`<p><a class="button" href="${retry}">Try again</a></p>`}
<p class="soft">Request ID: <code>${requestId}</code></p>`;
  return page({ title, body });
}

/**
 * Leads to another site after a form. A redirect would not work: browsers apply `form-action` to every
 * redirect that follows a form, and the redirects of an identity provider are not known in advance.
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
