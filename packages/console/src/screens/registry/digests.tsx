import type { ImageJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Digest } from "../../ui/digest.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Filter, Filters } from "../../ui/filters.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { TagBadges } from "./tag-badges.tsx";

const FILTERS: readonly Filter[] = [
  { name: "untagged", label: imageTexts.untagged, options: imageTexts.untaggedOptions },
];

/** Tags of an image that are shown; its screen has the others. */
const SHOWN_TAGS = 3;

function columnsOf(repo: string): readonly Column<ImageJson>[] {
  return [
    {
      header: texts.columns.digest,
      cell: ({ digest = "" }) => <Digest digest={digest} repo={repo} />,
    },
    { header: texts.columns.tags, cell: ({ tags = [] }) => <Names repo={repo} tags={tags} /> },
    {
      header: texts.columns.kind,
      cell: ({ kind = "IMAGE_KIND_UNSPECIFIED", architecture, children = [] }) =>
        [
          imageTexts.kinds[kind],
          children.length > 0 ? imageTexts.platforms(children.length) : architecture,
        ]
          .filter(Boolean)
          .join(", "),
    },
    {
      header: texts.columns.size,
      cell: ({ size }) => Number(size ?? 0) > 0 && bytesText(Number(size)),
    },
    { header: texts.columns.pushed, cell: ({ pushTime }) => <Age time={pushTime} /> },
    {
      header: texts.columns.pulled,
      cell: ({ pullTime }) => (pullTime === undefined ? texts.never : <Age time={pullTime} />),
      isExtra: true,
    },
  ];
}

/** All manifests of a repository, or those that nothing keeps in use. */
export function Digests({ repo }: { readonly repo: string }) {
  const [{ untagged }] = useListSearch();
  const isUntagged = untagged === "true";
  const pages = usePages(
    api.images.list,
    { repoUid: repo, pageSize: 50, ...(isUntagged && { untagged: true }) },
    ({ images }) => images,
  );
  return (
    <>
      <Filters filters={FILTERS} />
      <GrowingTable
        label={imageTexts.tabs.images}
        pages={pages}
        columns={columnsOf(repo)}
        keyOf={({ digest = "" }) => digest}
        empty={
          isUntagged ? (
            <Empty title={imageTexts.noUntagged}>{imageTexts.noUntaggedText}</Empty>
          ) : (
            <Empty title={imageTexts.noImages}>{imageTexts.noImagesText}</Empty>
          )
        }
      />
    </>
  );
}

function Names({ repo, tags }: { readonly repo: string; readonly tags: readonly string[] }) {
  const more = tags.length - SHOWN_TAGS;
  return (
    <TagBadges repo={repo} tags={tags.slice(0, SHOWN_TAGS)}>
      {more > 0 && <small className="soft">{imageTexts.moreTags(more)}</small>}
    </TagBadges>
  );
}
