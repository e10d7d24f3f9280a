import type { ImageDocumentJson } from "@wharf/contract/messages";
import { texts } from "../../../texts/common.ts";
import { inventoryTexts as words } from "../../../texts/inventory.ts";
import { sentence } from "../../../texts/sentence.ts";
import { Digest } from "../../../ui/digest.tsx";
import { PlainTable } from "../../../ui/growing-table.tsx";
import type { Column } from "../../../ui/table.tsx";

const COLUMNS: readonly Column<ImageDocumentJson>[] = [
  {
    header: words.document,
    cell: ({ kind, format }) =>
      [kind?.toUpperCase(), format].filter(Boolean).join(", ") || words.unknownFormat,
  },
  { header: texts.columns.state, cell: (document) => <State document={document} /> },
  { header: words.foundAs, cell: ({ foundAs }) => foundAs },
  { header: texts.columns.digest, cell: ({ digest = "" }) => <Digest digest={digest} /> },
];

/** All documents about an image, also those that are not used, and why. */
export function Documents({ documents }: { readonly documents: readonly ImageDocumentJson[] }) {
  if (documents.length === 0) return null;
  return (
    <section aria-labelledby="documents">
      <h2 id="documents">{words.documents}</h2>
      <div className="table-frame">
        <PlainTable
          label={words.documents}
          rows={documents}
          columns={COLUMNS}
          keyOf={({ digest, foundAs }) => `${digest} ${foundAs}`}
        />
      </div>
    </section>
  );
}

function State({
  document: { used = false, refusal, description },
}: {
  readonly document: ImageDocumentJson;
}) {
  if (!refusal) {
    return (
      <span className={used ? "badge good" : "badge plain"}>
        {used ? words.documentUsed : words.documentUnused}
      </span>
    );
  }
  return (
    <>
      <span className="badge bad">{words.documentRefused}</span>
      <small>{sentence(description || refusal)}</small>
    </>
  );
}
