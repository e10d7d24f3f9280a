import type { ProviderClaims } from "../providers/provider-claims.ts";
import { type Html, html } from "./html.ts";
import { page } from "./layout.ts";

/** The claims of an identity provider about the person who tested it. */
export function testedSignInPage(provider: string, claims: ProviderClaims): string {
  const { act, externalId, email, profile, groups, signedIn } = claims;
  const title = "The test sign-in worked";
  const body = html`<h1>${title}</h1>
<p role="status">This is what ${provider} says about you. You are signed in as before. You can close this window.</p>
<dl>
${fact("Issuer (iss)", act.iss)}
${fact("Subject (sub)", act.sub)}
${fact("ID for SCIM", externalId || "missing: SCIM users cannot be matched")}
${fact("E-mail", email === undefined ? "none" : `${email.address} (${email.verified ? "verified" : "not verified"})`)}
${fact("Name", profile?.name ?? "none")}
${fact("Groups", groups.length === 0 ? "none" : groups.join(", "))}
${fact("Signed in there (auth_time)", signedIn === 0 ? "missing: cannot sign in again for what needs a recent sign-in" : new Date(signedIn).toISOString())}
</dl>`;
  return page({ title, body });
}

function fact(name: string, value: string): Html {
  return html`<dt class="soft">${name}</dt>
<dd>${value}</dd>`;
}
