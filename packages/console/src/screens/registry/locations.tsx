import type { ImageLocationJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { texts } from "../../texts/common.ts";
import { imageTexts } from "../../texts/registry.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";

const COLUMNS: readonly Column<ImageLocationJson>[] = [
  { header: imageTexts.host, cell: ({ host }) => <code>{host}</code> },
  { header: imageTexts.path, cell: ({ path }) => <code>{path}</code> },
  {
    header: texts.columns.state,
    cell: ({ attached }) => (
      <span className={attached ? "badge good" : "badge plain"}>
        {attached ? imageTexts.attached : imageTexts.detached}
      </span>
    ),
  },
];

/** The registries that have the images of a repository. */
export function Locations({ repo }: { readonly repo: string }) {
  const { data, error } = useRead(api.images.listLocations, { repoUid: repo });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const { locations = [] } = data;
  if (locations.length === 0) {
    return <Empty title={imageTexts.noLocations}>{imageTexts.noLocationsText}</Empty>;
  }
  return (
    <div className="table-frame">
      <PlainTable
        label={imageTexts.tabs.locations}
        rows={locations}
        columns={COLUMNS}
        keyOf={({ host, path }) => `${host}/${path}`}
      />
    </div>
  );
}
