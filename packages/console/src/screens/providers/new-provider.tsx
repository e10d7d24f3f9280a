import { Link } from "@tanstack/react-router";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { useInstallation } from "../../api/installation.ts";
import { screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { providerTexts } from "../../texts/providers.ts";
import { Code } from "../../ui/code.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import type { Submit } from "../../ui/form-base.tsx";
import { Page } from "../../ui/page.tsx";
import { PageForm } from "../../ui/page-form.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useRoleChoices } from "../../ui/pickers.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { CheckIssuer } from "./check-issuer.tsx";
import { DEFAULTS, type KindName } from "./kinds.ts";

/** Connects an identity provider, with what has to be done there. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [{ kind }] = useListSearch();
  const name = Object.hasOwn(providerTexts.kinds, kind ?? "") ? (kind as KindName) : "okta";
  const { redirectUri, isKnown } = useInstallation();
  const { steps } = providerTexts.kinds[name];
  return (
    <Page
      title={providerTexts.create}
      group={uid}
      command={{
        cli: `wharf iam identity-providers create sso --parent ${uid} --issuer ${providerTexts.kinds[name].issuer} --client-id ID --client-secret FILE --default-role viewer`,
      }}
    >
      <Kinds parent={uid} current={name} />
      <div className="builder">
        <section className="preview" aria-labelledby="register">
          <h2 id="register">{providerTexts.register}</h2>
          <p>{providerTexts.redirect}</p>
          {isKnown ? <Code text={redirectUri} /> : <Loading />}
          <ol className="steps">
            {steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </section>
        <section aria-labelledby="enter">
          <h2 id="enter">{providerTexts.enter}</h2>
          {/* What was entered for one provider makes no sense for another. */}
          <ProviderForm key={name} parent={uid} kind={name} />
        </section>
      </div>
    </Page>
  );
}

function Kinds({ parent, current }: { readonly parent: string; readonly current: KindName }) {
  return (
    <nav className="tabs" aria-label={providerTexts.provider}>
      <ul>
        {Object.entries(providerTexts.kinds).map(([kind, { label }]) => (
          <li key={kind}>
            <Link
              {...screenLink("new-provider", parent)}
              search={{ kind } as never}
              activeProps={{}}
              {...(kind === current && { "aria-current": "page" as const })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ProviderForm({ parent, kind }: { readonly parent: string; readonly kind: KindName }) {
  const create = useChange(api.identityProviders.create);
  const { can, isKnown } = useAccess();
  const { groupsClaim, scopes, correlationRule } = DEFAULTS[kind];
  const { issuer } = providerTexts.kinds[kind];
  const may = can("identity_providers.create", parent) && can("role_bindings.create", parent);
  const send: Submit = async (_text, entered) => {
    const { name = "" } = entered;
    const identityProvider = {
      name,
      defaultRole: entered.defaultRole ?? "",
      oidc: {
        issuer: entered.issuer ?? "",
        clientId: entered.clientId ?? "",
        ...(entered.clientSecret && { clientSecret: entered.clientSecret }),
        ...(entered.groupsClaim && { groupsClaim: entered.groupsClaim }),
        ...(entered.scopes && { additionalScopes: entered.scopes.split(/\s+/) }),
        pkceEnabled: entered.pkce === "on",
        correlationRule: entered.correlationRule as typeof correlationRule,
      },
    };
    const { uid = "" } = await create.mutateAsync({ parent, identityProvider });
    return { message: providerTexts.created(name), open: screenLink("provider", uid) };
  };
  return (
    <PageForm
      label={providerTexts.create}
      submit={
        isKnown && !may ? (
          <Withheld label={providerTexts.create} capability="identity_providers.create" />
        ) : (
          providerTexts.create
        )
      }
      onSubmit={send}
    >
      <TextField
        name="name"
        label={providerTexts.name}
        hint={providerTexts.nameHint}
        value={kind === "oidc" ? "sso" : kind}
        isRequired
      />
      <TextField
        name="issuer"
        label={providerTexts.issuer}
        value={kind === "google" ? issuer : ""}
        placeholder={issuer}
        isRequired
      />
      <CheckIssuer parent={parent} />
      <TextField name="clientId" label={providerTexts.clientId} isRequired />
      <TextField
        name="clientSecret"
        type="password"
        label={providerTexts.clientSecret}
        hint={providerTexts.clientSecretHint}
      />
      <CheckField name="pkce" label={providerTexts.pkce} />
      <Picker label={providerTexts.defaultRole} name="defaultRole" useChoices={useRoleChoices} />
      <TextField name="groupsClaim" label={providerTexts.groupsClaim} value={groupsClaim} />
      <TextField
        name="scopes"
        label={providerTexts.scopes}
        hint={providerTexts.scopesHint}
        value={scopes}
      />
      <SelectField
        name="correlationRule"
        label={providerTexts.correlation}
        options={providerTexts.correlations}
        value={correlationRule}
      />
    </PageForm>
  );
}
