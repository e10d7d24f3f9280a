import { html, safeUrl } from "./html.ts";
import { page } from "./layout.ts";

/** The good end of a login. */
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

/** The bad end, in plain words; `reference` is the request's id, which the log knows. */
export function errorPage(props: {
  readonly title: string;
  readonly text: string;
  readonly reference: string;
  readonly retry?: string | undefined;
}): string {
  const { title, text, reference, retry } = props;
  const body = html`<h1>${title}</h1>
<p role="alert">${text}</p>
${retry !== undefined && html`<p><a class="button" href="${retry}">Try again</a></p>`}
<p class="soft">Reference for whoever runs this server: <code>${reference}</code></p>`;
  return page({ title, body });
}

/**
 * Leads on to another site after a form. A redirect would do too, were it not for browsers that hold
 * `form-action` against every hop that follows, and nobody knows all hops of a provider.
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

/** What a browser finds at the server's own address: what this is, and where to go on. */
export function welcomePage({ firstRun, api }: { firstRun: boolean; api: string }): string {
  const begin = firstRun
    ? html`<p>Nobody has set it up yet. The server printed a code when it started.</p>
<p><a class="button" href="/setup">Set it up</a></p>`
    : html`<p><a class="button" href="/account">Your account</a></p>`;
  const body = html`<h1>Wharf is running</h1>
<p class="soft">Who may do what, what is in the registry, and what is known to be vulnerable.</p>
${begin}
<section>
<h2>In a terminal</h2>
<p><code>npx wharf auth login --api ${api}</code></p>
</section>
<section>
<h2>For programs</h2>
<p><a href="/openapi.json">The API, described for machines</a></p>
</section>`;
  return page({ title: "Welcome", body });
}
