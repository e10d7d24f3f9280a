import { Link } from "@tanstack/react-router";
import type { TagJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { screenLink, useListSearch } from "../../app/location.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { inventoryTexts as words } from "../../texts/inventory.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { ExportFindings } from "./export/export.tsx";
import { FindingFilters } from "./filters.tsx";
import { VulnerabilitiesTable } from "./found-vulnerabilities.tsx";
import { ImagePackages } from "./inventory/packages.tsx";
import { filtersOf } from "./model.ts";

/** The vulnerabilities of all images of a repository. */
export function RepoVulnerabilities({ repo }: { readonly repo: string }) {
  const [search] = useListSearch();
  const request = { repoUid: repo, ...filtersOf(search) };
  return (
    <>
      <div className="panel-head">
        <FindingFilters />
        <div className="row-actions">
          <Link {...screenLink("compare", repo)} className="button quiet">
            {exposureTexts.diff.open}
          </Link>
          <ExportFindings request={request} />
        </div>
      </div>
      <VulnerabilitiesTable
        label={exposureTexts.tabs.list}
        request={request}
        emptyText={exposureTexts.repoNoneText}
      />
    </>
  );
}

/** Tags to choose from. */
const TAGS = 100;

/** The packages of the image that a tag of a repository names: by default the tag that was changed last. */
export function RepoPackages({ repo }: { readonly repo: string }) {
  const [search, setSearch] = useListSearch();
  const { data, error } = useRead(api.tags.list, {
    uidp: { childrenOf: repo },
    orderBy: "update_time desc",
    pageSize: TAGS,
  });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const tags: readonly TagJson[] = data.tags ?? [];
  const tag = tags.find(({ name }) => name === search.tag) ?? tags[0];
  if (tag === undefined) return <Empty title={words.noTag}>{words.noTagText}</Empty>;
  return (
    <>
      <div className="panel-head">
        <label>
          <span>{words.tag}</span>
          <select
            value={tag.name}
            onChange={({ currentTarget }) => setSearch({ tag: currentTarget.value, platform: "" })}
          >
            {tags.map(({ uid, name }) => (
              <option key={uid} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ImagePackages repo={repo} digest={tag.digest ?? ""} />
    </>
  );
}
