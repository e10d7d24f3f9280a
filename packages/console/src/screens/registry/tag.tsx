import type { TagJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { parentOf, screenLink, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Digest } from "../../ui/digest.tsx";
import { FailedPage } from "../../ui/failed-page.tsx";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Age } from "../../ui/time.tsx";
import { ImageVulnerabilities } from "../exposure/image-vulnerabilities.tsx";
import { ImagePackages } from "../exposure/inventory/packages.tsx";
import { PullCommand } from "./pull-command.tsx";
import { RepoLink } from "./repo-link.tsx";
import { Signatures } from "./signatures.tsx";
import { Kind, Size } from "./tag-list.tsx";
import { ChangeProtection, Protection } from "./tag-protection.tsx";

/** A tag: its current digest and its history. */
export function Screen() {
  const { uid: group, resource: uid } = useScreenLocation();
  const repo = parentOf(uid);
  const tag = useRead(api.tags.get, { uid });
  const { data } = useRead(api.repos.get, { uid: repo });
  const { can } = useAccess();
  const error = tag.error;
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (tag.data === undefined || data === undefined) return <Loading />;
  const { name = "" } = tag.data;
  return (
    <Page
      title={`${data.name}:${name}`}
      group={group}
      command={{
        cli: `wharf tags history ${uid}`,
        rest: `/registry/v2beta1/tags/${uid}/history`,
      }}
      actions={
        <>
          <ChangeProtection tag={tag.data} />
          {can("tag.delete", repo) && <DeleteTag tag={tag.data} />}
        </>
      }
    >
      <p className="lead">
        <RepoLink uid={repo} />
      </p>
      <Protection tag={tag.data} />
      <PullCommand repo={repo} name={data.name ?? ""} reference={`:${name}`} />
      <Content tag={tag.data} repo={repo} />
    </Page>
  );
}

/** The history of a tag, and the packages and vulnerabilities of its current image. */
function Content({
  tag: { uid = "", name = "", digest = "" },
  repo,
}: {
  readonly tag: TagJson;
  readonly repo: string;
}) {
  const tab = useTab(imageTexts.tagTabs);
  return (
    <>
      <Tabs label={imageTexts.tagLabel} tabs={imageTexts.tagTabs} />
      {tab === "history" && (
        <>
          <p className="soft">{imageTexts.historyText}</p>
          <History uid={uid} repo={repo} />
          <Signatures repo={repo} digest={digest} />
        </>
      )}
      {tab === "vulnerabilities" && <ImageVulnerabilities repo={repo} digest={digest} tag={name} />}
      {tab === "packages" && <ImagePackages repo={repo} digest={digest} />}
    </>
  );
}

function History({ uid, repo }: { readonly uid: string; readonly repo: string }) {
  const history = usePages(api.tags.listHistory, { uid, pageSize: 25 }, ({ entries }) => entries);
  if (history.error !== null) return <Failed error={history.error} />;
  if (history.total === undefined) return <Loading />;
  return (
    <div className="sheet">
      <ol className="timeline">
        {history.rows.map(({ digest = "", updateTime }, at) => (
          <li key={`${updateTime} ${digest}`} className={at === 0 ? "current" : undefined}>
            <p className="line">
              <Digest digest={digest} repo={repo} />
              {at === 0 && <span className="badge good">{imageTexts.now}</span>}
              <Age time={updateTime} />
            </p>
            <p className="line soft">
              <Kind repo={repo} digest={digest} />
              <Size repo={repo} digest={digest} />
            </p>
          </li>
        ))}
      </ol>
      {history.hasMore && (
        <div>
          <button
            type="button"
            className="button quiet small"
            disabled={history.isLoading}
            onClick={() => history.more()}
          >
            {texts.more}
          </button>
        </div>
      )}
    </div>
  );
}

function DeleteTag({ tag: { uid = "", name = "" } }: { readonly tag: TagJson }) {
  const remove = useChange(api.tags.delete, [api.repos.list, api.deletedTags.list]);
  return (
    <ConfirmDialog
      change={remove}
      request={{ uid }}
      title={`${imageTexts.deleteTag} ${name}?`}
      trigger={imageTexts.deleteTag}
      message={imageTexts.deletedTag(name)}
      open={screenLink("repo", parentOf(uid))}
    >
      <p>{imageTexts.deleteTagText}</p>
    </ConfirmDialog>
  );
}
