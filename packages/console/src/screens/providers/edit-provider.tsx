import type { IdentityProviderJson } from "@wharf/contract/messages";
import { api, useChange } from "../../api/client.ts";
import { parentOf } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { providerTexts } from "../../texts/providers.ts";
import { TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { CheckIssuer } from "./check-issuer.tsx";

/** Changes the client of an identity provider. An empty secret keeps the stored one. */
export function EditProvider({ provider }: { readonly provider: IdentityProviderJson }) {
  const { uid = "", name = "", description, oidc = {} } = provider;
  const update = useChange(api.identityProviders.update);
  return (
    <EditDialog
      title={providerTexts.editTitle(name)}
      trigger={providerTexts.edit}
      onSubmit={async (text) => {
        const scopes = text("scopes");
        const secret = text("clientSecret");
        await update.mutateAsync({
          identityProvider: {
            uid,
            name: text("name"),
            description: text("description"),
            oidc: {
              ...oidc,
              issuer: text("issuer"),
              clientId: text("clientId"),
              groupsClaim: text("groupsClaim"),
              additionalScopes: scopes === "" ? [] : scopes.split(/\s+/),
              ...(secret !== "" && { clientSecret: secret }),
            },
          },
          updateMask: "name,description,oidc",
        });
        return { message: providerTexts.edited(text("name")) };
      }}
    >
      <TextField name="name" label={providerTexts.name} value={name} isRequired />
      <TextField name="description" label={texts.columns.description} value={description} />
      <TextField name="issuer" label={providerTexts.issuer} value={oidc.issuer} isRequired />
      <CheckIssuer parent={parentOf(uid)} />
      <TextField name="clientId" label={providerTexts.clientId} value={oidc.clientId} isRequired />
      <TextField
        name="clientSecret"
        type="password"
        label={providerTexts.clientSecret}
        hint={providerTexts.clientSecretKept}
      />
      <TextField name="groupsClaim" label={providerTexts.groupsClaim} value={oidc.groupsClaim} />
      <TextField
        name="scopes"
        label={providerTexts.scopes}
        hint={providerTexts.scopesHint}
        value={oidc.additionalScopes?.join(" ")}
      />
      <p className="hint">{providerTexts.editText}</p>
    </EditDialog>
  );
}
