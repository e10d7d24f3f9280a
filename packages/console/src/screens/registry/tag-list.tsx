import { Link } from "@tanstack/react-router";
import type { TagJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api } from "../../api/client.ts";
import { useImage, useImages, useSignatureState } from "../../api/images.ts";
import { type ListSearch, screenLink, useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { exposureTexts } from "../../texts/exposure.ts";
import { imageTexts, signatureTexts } from "../../texts/registry.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Code } from "../../ui/code.tsx";
import { Digest } from "../../ui/digest.tsx";
import type { Filter } from "../../ui/filters.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { FindingCounts } from "../exposure/counts.tsx";
import { DeleteTags } from "./delete-tags.tsx";
import { useImageName } from "./pull-command.tsx";

const FILTERS: readonly Filter[] = [
  { name: "name", label: texts.columns.name, hint: imageTexts.tagHint },
  { name: "digest", label: texts.columns.digest, hint: imageTexts.digestHint },
  { name: "show", label: imageTexts.show, options: imageTexts.shows, all: imageTexts.showDefault },
  { name: "deprecated", label: imageTexts.deprecated, options: imageTexts.deprecations },
];

type Select = (tag: TagJson) => { readonly checked: boolean; readonly onChange: () => void };

/** With `select`, tags can be selected. */
function columnsOf(
  repo: string,
  showsFindings: boolean,
  select: Select | undefined,
): readonly Column<TagJson>[] {
  const findings: Column<TagJson> = {
    header: exposureTexts.label,
    cell: ({ digest = "" }) => <FindingCounts repo={repo} digest={digest} />,
  };
  return [
    {
      header: texts.columns.name,
      sort: "name",
      cell: (tag) => (
        <span className="with-check">
          {select && (
            <input
              type="checkbox"
              aria-label={imageTexts.selectTag(tag.name ?? "")}
              {...select(tag)}
            />
          )}
          <Name repo={repo} tag={tag} />
        </span>
      ),
    },
    {
      header: texts.columns.digest,
      cell: ({ digest = "" }) => <Digest digest={digest} repo={repo} />,
    },
    {
      header: texts.columns.kind,
      cell: ({ digest = "" }) => <Kind repo={repo} digest={digest} />,
    },
    {
      header: texts.columns.size,
      cell: ({ digest = "" }) => <Size repo={repo} digest={digest} />,
    },
    ...(showsFindings ? [findings] : []),
    {
      header: texts.columns.pushed,
      sort: "update_time",
      cell: ({ updateTime }) => <Age time={updateTime} />,
    },
    {
      header: texts.columns.pulled,
      cell: ({ digest = "" }) => <Pulled repo={repo} digest={digest} />,
      isExtra: true,
    },
  ];
}

/** The tags of a repository, with what their images are. */
export function TagList({ repo, name }: { readonly repo: string; readonly name: string }) {
  const [search] = useListSearch();
  const image = useImageName(repo, name);
  const { can } = useAccess();
  const [selected, setSelected] = useState<readonly TagJson[]>([]);
  const select = (tag: TagJson) => {
    const others = selected.filter(({ uid }) => uid !== tag.uid);
    const checked = others.length < selected.length;
    return { checked, onChange: () => setSelected(checked ? others : [...others, tag]) };
  };
  return (
    <>
      <ResourceList
        label={imageTexts.tabs.tags}
        method={api.tags.list}
        request={{ uidp: { childrenOf: repo }, ...filtersOf(search) }}
        filters={FILTERS}
        rows={({ tags }) => tags}
        columns={columnsOf(
          repo,
          can("vuln_report.list", repo),
          can("tag.delete", repo) ? select : undefined,
        )}
        defaultSort="update_time desc"
        emptyTitle={imageTexts.noTags}
        emptyText={imageTexts.noTagsText}
        emptyAction={
          image !== undefined && (
            <>
              <Code text={`wharf auth configure-docker --registry ${image.split("/")[0]}`} />
              <Code text={`docker push ${image}:latest`} />
            </>
          )
        }
      />
      {selected.length > 0 && (
        <div className="selection">
          <DeleteTags repo={repo} tags={selected} setSelected={setSelected} />
        </div>
      )}
    </>
  );
}

function Name({
  repo,
  tag: { uid = "", name, digest = "", deprecated },
}: {
  readonly repo: string;
  readonly tag: TagJson;
}) {
  const { data: signed } = useSignatureState(repo, digest);
  const isVerified = signed?.state === "SIGNATURE_STATE_VERIFIED";
  return (
    <span>
      <Link {...screenLink("tag", uid)}>{name}</Link>{" "}
      {deprecated && <span className="badge plain">{imageTexts.deprecated}</span>}{" "}
      {signed && (
        <span className={isVerified ? "badge good" : "badge warn"}>
          {isVerified ? signatureTexts.isVerified : signatureTexts.isUnverified}
        </span>
      )}
    </span>
  );
}

function filtersOf({ name, digest, show, deprecated }: ListSearch) {
  const shows = (kind: string) => show === kind || show === "all";
  return {
    ...(name !== undefined && { namePrefix: String(name) }),
    ...(digest !== undefined && { digest: String(digest) }),
    ...(shows("dates") && { includeDates: true }),
    ...(shows("epochs") && { includeEpochs: true }),
    ...(shows("referrers") && { includeReferrers: true }),
    ...(deprecated !== undefined && { deprecated: deprecated === "true" }),
  };
}

interface OfImage {
  readonly repo: string;
  readonly digest: string;
}

/** The kind of a manifest; for an index, the number of platforms. */
export function Kind({ repo, digest }: OfImage) {
  const { data } = useImage(repo, digest);
  if (!data) return null;
  const { kind = "IMAGE_KIND_UNSPECIFIED", architecture, children = [] } = data;
  const detail = kind === "IMAGE_KIND_INDEX" ? imageTexts.platforms(children.length) : architecture;
  return [imageTexts.kinds[kind], detail].filter(Boolean).join(", ");
}

/** The size of an image; of an index, that of all its images. */
export function Size({ repo, digest }: OfImage) {
  const { data: image } = useImage(repo, digest);
  const { data: children = [] } = useImages(repo, image?.children ?? []);
  const size = [...(image ? [image] : []), ...children].reduce(
    (sum, one) => sum + Number(one.size ?? 0),
    0,
  );
  if (size === 0) return null;
  return (
    <span className="number" {...(children.length > 1 && { title: imageTexts.sum })}>
      {bytesText(size)}
    </span>
  );
}

function Pulled({ repo, digest }: OfImage) {
  const { data } = useImage(repo, digest);
  if (!data) return null;
  return data.pullTime === undefined ? texts.never : <Age time={data.pullTime} />;
}
