import { Link } from "@tanstack/react-router";
import type { RetentionEntryJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { storageTexts } from "../../texts/storage.ts";
import { bytesText } from "../../ui/bytes.ts";
import { Described } from "../../ui/described.tsx";
import { Digest } from "../../ui/digest.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import { isDenied } from "../../ui/lasting-error.ts";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Retry } from "./part.tsx";

const { retention: words } = storageTexts;

const COLUMNS: readonly Column<RetentionEntryJson>[] = [
  {
    header: words.image,
    cell: ({ repoUid = "", repo = "", tag }) => (
      <Link {...screenLink("repo", repoUid)}>{tag ? `${repo}:${tag}` : repo}</Link>
    ),
  },
  {
    header: words.digest,
    cell: ({ repoUid = "", digest = "" }) => <Digest digest={digest} repo={repoUid} />,
  },
  { header: words.why, cell: ({ rule = "", reason = "" }) => words.reason(rule, reason) },
  {
    header: words.when,
    cell: ({ deleteTime, announced }) => (
      <Described text={announced ? words.isAnnounced : undefined}>
        <Age time={deleteTime} />
      </Described>
    ),
  },
];

/** The tags and images that retention deletes below a group, with their totals. */
export function Preview({ group }: { readonly group: string }) {
  const request = { uid: group, pageSize: 100 };
  // The rows of this list are pages: the first one has the totals of all.
  const pages = usePages(api.retentionPolicies.previewRetention, request, (page) => [page]);
  const { rows, error, isLoading, hasMore, more } = pages;
  if (isDenied(error)) return <p className="note">{words.previewDenied}</p>;
  if (error !== null) return <Retry error={error} isBusy={isLoading} retry={more} />;
  const [first] = rows;
  if (first === undefined) return <Loading />;
  const entries = rows.flatMap((page) => page.entries ?? []);
  const { deletedTags, tags, deletedImages, freedBytes } = first.summary ?? {};
  if (entries.length === 0) return <p role="status">{words.nothing}</p>;
  return (
    <>
      <p role="status">
        <strong>
          {words.total(
            Number(deletedTags ?? 0),
            Number(tags ?? 0),
            Number(deletedImages ?? 0),
            bytesText(Number(freedBytes ?? 0)),
          )}
        </strong>
      </p>
      <div className="table-frame" aria-busy={isLoading}>
        <PlainTable
          label={words.previewTitle}
          rows={entries}
          columns={COLUMNS}
          keyOf={({ repoUid, tag, digest }) => `${repoUid} ${tag} ${digest}`}
        />
        {hasMore && (
          <div className="pages">
            <button
              type="button"
              className="button quiet small"
              disabled={isLoading}
              onClick={() => more()}
            >
              {texts.more}
            </button>
          </div>
        )}
      </div>
    </>
  );
}
