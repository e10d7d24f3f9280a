import type { IdentityJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { parentOf, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { identityTexts } from "../../texts/identities.ts";
import { DeleteResource } from "../../ui/delete-resource.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { Accepts } from "./accepts.tsx";
import { Bindings } from "./bindings.tsx";
import { EditIdentity } from "./edit-identity.tsx";
import { ExchangeChart } from "./exchange-chart.tsx";
import { LastSeen } from "./last-seen.tsx";
import { Warnings } from "./preview.tsx";
import { Snippets } from "./snippets.tsx";
import { TestToken } from "./test-token.tsx";
import { kindOf } from "./trust.ts";
import { patternWarnings } from "./warnings.ts";

/** One identity: what it accepts, what it may do, how to use it, and why a token is rejected. */
export function Screen() {
  const { resource: uid } = useScreenLocation();
  const { data, error } = useRead(api.identities.get, { uid });
  const group = parentOf(uid) || undefined;
  const tab = useTab(identityTexts.tabs);
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  return (
    <Page
      title={data.name ?? ""}
      group={group}
      command={
        tab === "test"
          ? { cli: `wharf iam identities test ${uid} --token token.jwt` }
          : {
              cli: `wharf iam identities describe ${uid}`,
              rest: `/iam/v2beta1/identities/${uid}`,
            }
      }
      actions={<Actions identity={data} />}
    >
      {data.description && <p className="lead">{data.description}</p>}
      <Tabs label={identityTexts.tabsLabel} tabs={identityTexts.tabs} />
      <Content identity={data} tab={tab} />
    </Page>
  );
}

function Actions({ identity }: { readonly identity: IdentityJson }) {
  const { can } = useAccess();
  const { uid = "" } = identity;
  const isEditable = uid.includes("/") && identity.servicePrincipal === undefined;
  return (
    <>
      {isEditable &&
        (can("identity.update", uid) ? (
          <EditIdentity identity={identity} />
        ) : (
          <Withheld label={identityTexts.edit} capability="identity.update" />
        ))}
      {can("identity.delete", uid) && (
        <DeleteResource
          resource={identity}
          method={api.identities.delete}
          affected={[api.roleBindings.list]}
          list="identities"
          words={identityTexts}
        />
      )}
    </>
  );
}

function Content({
  identity,
  tab,
}: {
  readonly identity: IdentityJson;
  readonly tab: keyof typeof identityTexts.tabs;
}) {
  if (tab === "use") return <Snippets identity={identity} />;
  if (tab === "test") return <TestToken identity={identity} />;
  const { uid = "", createTime } = identity;
  const kind = kindOf(identity);
  const isWorkload = kind !== "person" && kind !== "servicePrincipal";
  return (
    <>
      <Facts
        facts={{
          [texts.columns.kind]: identityTexts.kinds[kind],
          [texts.columns.lastSeen]: <LastSeen identity={identity} />,
          [texts.columns.created]: <Age time={createTime} />,
          UID: <code>{uid}</code>,
        }}
      />
      {isWorkload && (
        <section aria-labelledby="authenticates">
          <h2 id="authenticates">{identityTexts.authenticates}</h2>
          <Accepts identity={identity} />
          <Warnings title={identityTexts.test.warnings} warnings={patternWarnings(identity)} />
        </section>
      )}
      <Bindings identity={uid} />
      {isWorkload && <ExchangeChart resource={uid} />}
    </>
  );
}
