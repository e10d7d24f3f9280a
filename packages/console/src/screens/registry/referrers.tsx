import type { ImageJson, TagJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { texts } from "../../texts/common.ts";
import { ATTACHMENTS, imageTexts, OTHER_ATTACHMENT } from "../../texts/registry.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Described } from "../../ui/described.tsx";
import { Digest } from "../../ui/digest.tsx";
import { GrowingTable, PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

/** Suffixes of the tags by which older tools attach things: `sha256-….sig`. */
const TAG_SUFFIXES: Readonly<Record<string, string>> = {
  sig: "signature",
  att: "attestation",
  sbom: "SBOM",
};

/** The attachments of an image: SBOMs, signatures, VEX documents. */
export function Referrers({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const request = { repoUid: repo, subject: digest, pageSize: 20 };
  const pages = usePages(api.images.list, request, ({ images }) => images);
  const columns: readonly Column<ImageJson>[] = [
    {
      header: texts.columns.kind,
      cell: (image) => <AttachmentType repo={repo} digest={image.digest ?? ""} />,
    },
    {
      header: texts.columns.digest,
      cell: (image) => <Digest digest={image.digest ?? ""} repo={repo} />,
    },
    { header: texts.columns.size, cell: ({ size }) => bytesText(Number(size ?? 0)) },
    { header: texts.columns.pushed, cell: ({ pushTime }) => <Age time={pushTime} /> },
  ];
  return (
    <section aria-labelledby="referrers">
      <h2 id="referrers">{imageTexts.referrers}</h2>
      <GrowingTable
        label={imageTexts.referrers}
        pages={pages}
        columns={columns}
        keyOf={(image) => image.digest ?? ""}
        empty={<ReferrerTags repo={repo} digest={digest} />}
      />
    </section>
  );
}

/** The kind of an attachment, from its manifest. */
function AttachmentType({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const { data } = useRead(api.images.getManifest, { repoUid: repo, digest });
  const types = [data?.artifactType, ...(data?.layers ?? []).map(({ mediaType }) => mediaType)];
  const found = types.flatMap((type = "") => ATTACHMENTS.find(([part]) => part.test(type)) ?? []);
  const [, name = OTHER_ATTACHMENT] = found as unknown as readonly [RegExp?, string?];
  return <Described text={data?.artifactType}>{data === undefined ? "" : name}</Described>;
}

/** Tags that attach something in the way of older tools. */
function ReferrerTags({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const base = digest.replace(":", "-");
  const found = Object.keys(TAG_SUFFIXES).map((suffix) =>
    // biome-ignore lint/correctness/useHookAtTopLevel: the suffixes never change
    useRead(api.tags.list, {
      uidp: { childrenOf: repo },
      name: `${base}.${suffix}`,
      includeReferrers: true,
      pageSize: 1,
    }),
  );
  const tags = found.flatMap(({ data }) => data?.tags ?? []);
  if (tags.length === 0) return <p className="soft">{imageTexts.noReferrers}</p>;
  const columns: readonly Column<TagJson>[] = [
    {
      header: texts.columns.kind,
      cell: ({ name = "" }) => (
        <Described text={name}>{TAG_SUFFIXES[name.split(".").at(-1) ?? ""]}</Described>
      ),
    },
    {
      header: texts.columns.digest,
      cell: (tag) => <Digest digest={tag.digest ?? ""} repo={repo} />,
    },
    { header: texts.columns.pushed, cell: ({ updateTime }) => <Age time={updateTime} /> },
  ];
  return (
    <div className="table-frame">
      <PlainTable
        label={imageTexts.referrers}
        rows={tags}
        columns={columns}
        keyOf={({ uid = "" }) => uid}
      />
    </div>
  );
}
