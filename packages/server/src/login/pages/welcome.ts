import { html } from "./html.ts";
import { page } from "./layout.ts";

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
