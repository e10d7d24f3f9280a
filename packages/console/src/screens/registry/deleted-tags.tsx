import type { DeletedTagJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { texts } from "../../texts/common.ts";
import { deletedTagTexts } from "../../texts/registry.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Digest } from "../../ui/digest.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

const COLUMNS: readonly Column<DeletedTagJson>[] = [
  { header: texts.columns.name, cell: ({ name }) => name },
  { header: texts.columns.digest, cell: ({ digest = "" }) => <Digest digest={digest} /> },
  { header: deletedTagTexts.deleted, cell: ({ deleteTime }) => <Age time={deleteTime} /> },
  { header: deletedTagTexts.by, cell: ({ actorName }) => actorName },
  { header: deletedTagTexts.until, cell: ({ expireTime }) => <Age time={expireTime} /> },
];

/** The deleted tags of a repo that can be restored; nothing if there are none. */
export function DeletedTags({ repo }: { readonly repo: string }) {
  const { can } = useAccess();
  const pages = usePages(api.deletedTags.list, { repoUid: repo, pageSize: 25 }, ({ tags }) => tags);
  if (pages.rows.length === 0) return null;
  const restore = {
    header: texts.columns.actions,
    cell: (tag: DeletedTagJson) => <Restore repo={repo} tag={tag} />,
  };
  return (
    <section aria-labelledby="deleted-tags">
      <h2 id="deleted-tags">{deletedTagTexts.title}</h2>
      <GrowingTable
        label={deletedTagTexts.title}
        pages={pages}
        columns={can("tag.create", repo) ? [...COLUMNS, restore] : COLUMNS}
        keyOf={({ name = "" }) => name}
        empty={null}
      />
    </section>
  );
}

function Restore({
  repo,
  tag: { name = "" },
}: {
  readonly repo: string;
  readonly tag: DeletedTagJson;
}) {
  const restore = useChange(api.deletedTags.restoreTag, [api.tags.list, api.images.list]);
  return (
    <ConfirmDialog
      change={restore}
      request={{ repoUid: repo, name }}
      title={deletedTagTexts.restoreTitle(name)}
      submit={deletedTagTexts.restore}
      message={deletedTagTexts.restored(name)}
      isDangerous={false}
      isSmall
    >
      <p>{deletedTagTexts.restoreText}</p>
    </ConfirmDialog>
  );
}
