import { Link } from "@tanstack/react-router";
import { useAccess } from "../../api/access.ts";
import { ALL_CAPABILITIES, capabilityName } from "../../api/capabilities.ts";
import { api, useRead } from "../../api/client.ts";
import { screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";
import { texts } from "../../texts/common.ts";
import type { Filter } from "../../ui/filters.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Uid } from "../../ui/uid.tsx";
import { Check } from "./check.tsx";
import { ExportCsv } from "./export.tsx";
import { Grant } from "./grant.tsx";
import { grantColumns } from "./origin.tsx";
import { nameOf } from "./who.tsx";

const TABS = { who: accessTexts.tabs.who, check: accessTexts.tabs.check } as const;

const FILTERS: readonly Filter[] = [
  {
    name: "capability",
    label: accessTexts.capability,
    options: Object.fromEntries(
      ALL_CAPABILITIES.map(capabilityName)
        .sort()
        .map((name) => [name, name]),
    ),
  },
];

/** Effective permissions at a group with their origin; or those of the identity that the URL names, everywhere. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [{ identity, capability }] = useListSearch();
  const tab = useTab(TABS);
  const asked = ALL_CAPABILITIES.find((key) => capabilityName(key) === capability);
  const filter = asked === undefined ? {} : { capability: asked };
  if (identity !== undefined) {
    return <OfIdentity group={uid} identity={String(identity)} filter={filter} />;
  }
  return (
    <Page
      title={texts.screens.access}
      group={uid}
      command={{
        cli: `wharf access list --resource ${uid}${asked ? ` --capability ${capability}` : ""}`,
        rest: `/iam/v2beta1/access?resource=${uid}${asked ? `&capability=${asked}` : ""}`,
      }}
      actions={
        <>
          <ExportCsv request={{ resource: uid, ...filter }} />
          <Grant parent={uid} />
        </>
      }
    >
      <Tabs label={texts.screens.access} tabs={TABS} />
      {tab === "check" ? <Check group={uid} /> : <Here group={uid} filter={filter} />}
    </Page>
  );
}

type CapabilityFilter = { readonly capability?: (typeof ALL_CAPABILITIES)[number] };

function Here({ group, filter }: { readonly group: string; readonly filter: CapabilityFilter }) {
  const request = { resource: group, ...filter };
  const { data } = useRead(api.access.list, { ...request, pageSize: 1 });
  return (
    <>
      <ResourceList
        label={texts.screens.access}
        method={api.access.list}
        request={request}
        rows={({ grants }) => grants}
        columns={grantColumns(group, true)}
        filters={FILTERS}
        defaultSort=""
        emptyTitle={accessTexts.empty}
        emptyText={accessTexts.emptyText}
        emptyAction={<Grant parent={group} />}
      />
      {data?.hiddenAbove && <p className="soft">{accessTexts.hiddenAbove}</p>}
    </>
  );
}

function OfIdentity({
  group,
  identity,
  filter,
}: {
  readonly group: string;
  readonly identity: string;
  readonly filter: CapabilityFilter;
}) {
  const request = { identity, ...filter };
  const { data } = useRead(api.access.list, { identity, pageSize: 1 });
  const { can } = useAccess();
  const who = data?.grants?.[0]?.identity;
  const name = who ? nameOf(who) : accessTexts.identity;
  return (
    <Page
      title={accessTexts.ofTitle(name)}
      group={group}
      command={{
        cli: `wharf access list --identity ${identity}`,
        rest: `/iam/v2beta1/access?identity=${identity}`,
      }}
      actions={
        <>
          <ExportCsv request={request} />
          {can("role_bindings.create", group) && (
            <Grant parent={group} identity={{ value: identity, label: name }} />
          )}
        </>
      }
    >
      <p className="soft">
        <code>{who?.subject || who?.email}</code> <Uid uid={identity} /> ·{" "}
        <Link {...screenLink("access", group)}>{accessTexts.back}</Link>
      </p>
      <ResourceList
        label={accessTexts.ofTitle(name)}
        method={api.access.list}
        request={request}
        rows={({ grants }) => grants}
        columns={grantColumns(group, false)}
        filters={FILTERS}
        defaultSort=""
        emptyTitle={accessTexts.nothing}
        emptyText={accessTexts.nothingText}
      />
    </Page>
  );
}
