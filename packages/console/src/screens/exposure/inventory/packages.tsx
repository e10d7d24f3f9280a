import type { ImagePackageJson, PlatformInventoryJson } from "@wharf/contract/messages";
import { useAccess } from "../../../api/access.ts";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { usePages } from "../../../api/pages.ts";
import { useListSearch } from "../../../app/location.ts";
import { texts } from "../../../texts/common.ts";
import { exposureTexts } from "../../../texts/exposure.ts";
import { inventoryTexts as words } from "../../../texts/inventory.ts";
import { Described } from "../../../ui/described.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { Empty, Failed, Loading } from "../../../ui/feedback.tsx";
import { GrowingTable } from "../../../ui/growing-table.tsx";
import type { Column } from "../../../ui/table.tsx";
import { Age } from "../../../ui/time.tsx";
import { toast, toastError } from "../../../ui/toast.tsx";
import { TextFilter } from "../filters.tsx";
import { PackageLink } from "../links.tsx";
import { Documents } from "./documents.tsx";
import { DownloadSbom } from "./download.tsx";
import { Gaps } from "./gaps.tsx";
import { PlatformChoice } from "./platform-choice.tsx";
import { isKnown } from "./state-text.ts";
import { UploadDocument } from "./upload.tsx";
import { useInventory, usePlatform } from "./use-inventory.ts";

const { columns } = exposureTexts;

const COLUMNS: readonly Column<ImagePackageJson>[] = [
  {
    header: texts.columns.package,
    cell: ({ name, origin }) => (
      <Described text={origin && `${columns.origin} ${origin}`}>
        <PackageLink name={name} />
      </Described>
    ),
  },
  { header: columns.version, cell: ({ version }) => version },
  { header: columns.ecosystem, cell: ({ ecosystem }) => ecosystem },
  { header: columns.license, cell: ({ license }) => license, isExtra: true },
  { header: columns.location, cell: ({ location }) => location, isExtra: true },
];

/** The packages of an image, where they were read from, and what is not known of them. */
export function ImagePackages({
  repo,
  digest,
}: {
  readonly repo: string;
  readonly digest: string;
}) {
  const { data, error } = useInventory(repo, digest);
  const platform = usePlatform(data?.platforms);
  const { can } = useAccess();
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <div className="panel-head">
        <PlatformChoice platforms={data.platforms ?? []} />
        <div className="row-actions">
          {platform !== undefined && isKnown(platform) && can("sboms.list", repo) && (
            <DownloadSbom repo={repo} inventory={platform} />
          )}
          {can("manifest.create", repo) && (
            <>
              <UploadDocument repo={repo} digest={platform?.digest ?? digest} />
              <Reindex repo={repo} digest={digest} />
            </>
          )}
        </div>
      </div>
      <Gaps inventory={platform} />
      {platform !== undefined && (
        <>
          <About inventory={platform} />
          {isKnown(platform) && <PackageTable repo={repo} digest={platform.digest ?? digest} />}
          <Documents documents={platform.documents ?? []} />
        </>
      )}
    </>
  );
}

function About({ inventory }: { readonly inventory: PlatformInventoryJson }) {
  const { state = "INVENTORY_STATE_UNSPECIFIED", source = "INVENTORY_SOURCE_UNSPECIFIED" } =
    inventory;
  const { facts } = words;
  return (
    <Facts
      facts={{
        [facts.state]: isKnown(inventory)
          ? words.packages(inventory.packages ?? 0)
          : words.states[state],
        [facts.source]: words.sources[source],
        [facts.system]: inventory.operatingSystem,
        [facts.format]: inventory.format,
        [facts.tool]: inventory.tool,
        [facts.generated]: inventory.generateTime && <Age time={inventory.generateTime} />,
        [facts.indexed]: inventory.indexTime && <Age time={inventory.indexTime} />,
      }}
    />
  );
}

function PackageTable({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const [search] = useListSearch();
  const query = String(search.find ?? "");
  const pages = usePages(
    api.inventory.listImagePackages,
    { repoUid: repo, digest, pageSize: 100, ...(query !== "" && { query }) },
    ({ packages }) => packages,
  );
  return (
    <>
      <search className="chips">
        <TextFilter name="find" label={words.find} hint="openssl" />
      </search>
      <GrowingTable
        label={words.facts.state}
        pages={pages}
        columns={COLUMNS}
        keyOf={({ purl, location }) => `${purl} ${location}`}
        countOf={words.packages}
        empty={<Empty title={words.noPackages}>{words.noPackagesText}</Empty>}
      />
    </>
  );
}

/** Has the documents and layers of an image read again. */
function Reindex({ repo, digest }: { readonly repo: string; readonly digest: string }) {
  const reindex = useChange(api.inventory.reindexImage);
  const refresh = useExposureRefresh();
  return (
    <button
      type="button"
      className="button quiet"
      disabled={reindex.isPending}
      onClick={() =>
        reindex.mutateAsync({ repoUid: repo, digest }).then(() => {
          refresh();
          return toast(words.reindexed);
        }, toastError)
      }
    >
      {words.reindex}
    </button>
  );
}
