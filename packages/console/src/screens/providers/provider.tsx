import type { IdentityProviderJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { useInstallation } from "../../api/installation.ts";
import { parentOf, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { providerTexts } from "../../texts/providers.ts";
import { CopyButton } from "../../ui/code.tsx";
import { DeleteResource } from "../../ui/delete-resource.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { EditProvider } from "./edit-provider.tsx";
import { Mappings } from "./mappings.tsx";
import { RoleName } from "./role-name.tsx";
import { Provisioning } from "./scim.tsx";

/** One identity provider: how people sign in with it, what its groups grant, and its provisioning. */
export function Screen() {
  const { resource: uid } = useScreenLocation();
  const { data, error } = useRead(api.identityProviders.get, { uid });
  const { can } = useAccess();
  const group = parentOf(uid);
  const tab = useTab(providerTexts.tabs);
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  return (
    <Page
      title={data.name ?? ""}
      group={group}
      command={{
        cli: COMMANDS[tab](uid),
        rest: `/iam/v2beta1/identityProviders/${uid}`,
      }}
      actions={
        <>
          {can("identity_providers.update", uid) && <EditProvider provider={data} />}
          {can("identity_providers.delete", uid) && (
            <DeleteResource
              resource={data}
              method={api.identityProviders.delete}
              list="providers"
              words={providerTexts}
            />
          )}
        </>
      }
    >
      {data.description && <p className="lead">{data.description}</p>}
      <Tabs label={providerTexts.tabsLabel} tabs={providerTexts.tabs} />
      <Content provider={data} tab={tab} />
    </Page>
  );
}

const COMMANDS = {
  overview: (uid: string) => `wharf iam identity-providers describe ${uid}`,
  mappings: (uid: string) => `wharf iam group-mappings list --provider ${uid}`,
  scim: (uid: string) => `wharf iam identity-providers scim status ${uid}`,
} as const;

function Content({
  provider,
  tab,
}: {
  readonly provider: IdentityProviderJson;
  readonly tab: keyof typeof providerTexts.tabs;
}) {
  if (tab === "mappings") return <Mappings provider={provider} />;
  if (tab === "scim") return <Provisioning provider={provider} />;
  return <Overview provider={provider} />;
}

function Overview({ provider }: { readonly provider: IdentityProviderJson }) {
  const { redirectUri, isKnown } = useInstallation();
  const { uid = "", oidc = {}, defaultRole = "", createTime } = provider;
  const rule = oidc.correlationRule as keyof typeof providerTexts.correlations;
  return (
    <>
      <div className="trust">
        <Facts
          facts={{
            [providerTexts.issuer]: <code>{oidc.issuer}</code>,
            [providerTexts.clientId]: <code>{oidc.clientId}</code>,
            [providerTexts.redirectUri]: isKnown && (
              <span className="line">
                <code>{redirectUri}</code>
                <CopyButton text={redirectUri} />
              </span>
            ),
            [providerTexts.defaultRole]: <RoleName uid={defaultRole} />,
            [providerTexts.groupsClaim]: oidc.groupsClaim && <code>{oidc.groupsClaim}</code>,
            [providerTexts.scopes]: oidc.additionalScopes?.join(" "),
            [providerTexts.correlation]: providerTexts.correlations[rule],
            [texts.columns.created]: <Age time={createTime} />,
          }}
        />
      </div>
      <section aria-labelledby="test">
        <h2 id="test">{providerTexts.test}</h2>
        <p className="soft">{providerTexts.testText}</p>
        <div>
          <a
            className="button quiet"
            href={`/console/test-sign-in?provider=${encodeURIComponent(uid)}`}
            target="_blank"
            rel="noreferrer"
          >
            {providerTexts.test}
          </a>
        </div>
      </section>
    </>
  );
}
