import type { IdentityJson } from "@wharf/contract/messages";
import { useInstallation } from "../../api/installation.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Code } from "../../ui/code.tsx";
import { platformOf } from "./platforms.ts";
import { snippetsOf } from "./snippets.ts";
import { expectedOf } from "./trust.ts";

/** Snippets for workloads that sign in as an identity. */
export function Snippets({ identity }: { readonly identity: IdentityJson }) {
  const installation = useInstallation();
  const { audience } = expectedOf(identity);
  const snippets = snippetsOf(platformOf(identity), {
    api: installation.baseUrl,
    registry: installation.registry,
    audience: audience && !audience.isPattern ? audience.text : installation.audience,
    identity: identity.uid ?? "",
    serviceAccount: (identity.claimMatch?.subject ?? identity.staticKeys?.subject ?? "").split(":"),
  });
  return (
    <>
      <p className="lead">{identityTexts.use.lead}</p>
      {snippets.map(({ title, text, note }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Code text={text} />
          {note !== undefined && <p className="hint">{note}</p>}
        </section>
      ))}
    </>
  );
}
