import type { RepoJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { useScreenLocation } from "../../app/location.ts";
import { imageTexts } from "../../texts/registry.ts";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { RepoPackages, RepoVulnerabilities } from "../exposure/repo-tabs.tsx";
import { Activity } from "./activity.tsx";
import { DeletedTags } from "./deleted-tags.tsx";
import { Digests } from "./digests.tsx";
import { Locations } from "./locations.tsx";
import { PullCommand } from "./pull-command.tsx";
import { Readme } from "./readme.tsx";
import { DeleteRepo, EditRepo } from "./repo-dialogs.tsx";
import { TagList } from "./tag-list.tsx";

/** A repository: its tags and digests, what it is for, and what happens in it. */
export function Screen() {
  const { uid: group, resource: uid } = useScreenLocation();
  const { data, error } = useRead(api.repos.get, { uid });
  const { can } = useAccess();
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  return (
    <Page
      title={data.name ?? ""}
      group={group}
      command={{
        cli: `wharf tags list --repo ${uid}`,
        rest: `/registry/v2beta1/tags?uidp.children_of=${uid}`,
      }}
      actions={
        <>
          {can("repo.update", uid) && <EditRepo repo={data} />}
          {can("repo.delete", uid) && <DeleteRepo repo={data} />}
        </>
      }
    >
      {data.description && <p className="lead">{data.description}</p>}
      <Content repo={data} />
    </Page>
  );
}

function Content({ repo: { uid = "", name = "" } }: { readonly repo: RepoJson }) {
  const tab = useTab(imageTexts.tabs);
  const newest = useRead(api.tags.list, {
    uidp: { childrenOf: uid },
    orderBy: "update_time desc",
    pageSize: 1,
  });
  const [tag] = newest.data?.tags ?? [];
  return (
    <>
      {tag?.name !== undefined && <PullCommand repo={uid} name={name} reference={`:${tag.name}`} />}
      <Tabs label={imageTexts.label} tabs={imageTexts.tabs} />
      {tab === "tags" && (
        <>
          <TagList key={uid} repo={uid} name={name} />
          <DeletedTags repo={uid} />
        </>
      )}
      {tab === "images" && <Digests repo={uid} />}
      {tab === "vulnerabilities" && <RepoVulnerabilities repo={uid} />}
      {tab === "packages" && <RepoPackages repo={uid} />}
      {tab === "readme" && <Readme repo={uid} />}
      {tab === "activity" && <Activity resource={uid} />}
      {tab === "locations" && <Locations repo={uid} />}
    </>
  );
}
