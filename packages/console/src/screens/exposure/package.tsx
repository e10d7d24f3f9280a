import type { PackageImageJson } from "@wharf/contract/messages";
import { api, useRead } from "../../api/client.ts";
import { usePages } from "../../api/pages.ts";
import { useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { counted, exposureTexts } from "../../texts/exposure.ts";
import { Chips } from "../../ui/chips.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { GrowingTable } from "../../ui/growing-table.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { TextFilter } from "./filters.tsx";
import { VulnerabilitiesTable } from "./found-vulnerabilities.tsx";
import { ImageLink } from "./links.tsx";
import { IN_USE_CHIP } from "./model.ts";

const { package: words, columns } = exposureTexts;

const COLUMNS: readonly Column<PackageImageJson>[] = [
  { header: columns.image, cell: (image) => <ImageLink image={image} /> },
  {
    header: columns.version,
    cell: ({ package: found = {} }) => (
      <>
        {found.version}
        <small className="soft">
          {found.ecosystem}
          {found.origin && `, ${columns.origin} ${found.origin} ${found.originVersion ?? ""}`}
        </small>
      </>
    ),
  },
  { header: columns.license, cell: ({ package: found }) => found?.license, isExtra: true },
  {
    header: texts.columns.pushed,
    cell: ({ pushTime }) => pushTime && <Age time={pushTime} />,
    isExtra: true,
  },
];

/** A package: the images below a group that contain it, and its vulnerabilities. */
export function Screen() {
  const { uid: group } = useScreenLocation();
  const [search] = useListSearch();
  const name = String(search.package ?? "");
  const ecosystem = String(search.ecosystem ?? "");
  const range = String(search.range ?? "");
  const uidp = { descendantsOf: group };
  const request = {
    ...{ uidp, package: name, pageSize: 50 },
    ...(ecosystem !== "" && { ecosystem }),
    ...(range !== "" && { versionRange: range }),
    ...(search.used === "true" && { inUse: true }),
  };
  const pages = usePages(api.inventory.listPackageImages, request, ({ images }) => images, {
    enabled: name !== "",
  });
  return (
    <Page
      title={name}
      group={group}
      command={{
        cli: `wharf exposure search ${name}`,
        rest: `/exposure/v2beta1/packageImages?uidp.descendants_of=${group}&package=${encodeURIComponent(name)}`,
      }}
    >
      <section aria-labelledby="package-images">
        <h2 id="package-images">{words.images}</h2>
        <Chips label={exposureTexts.filters.label} chips={[IN_USE_CHIP]}>
          <TextFilter name="range" label={words.range} hint={words.rangeHint} />
          <TextFilter name="ecosystem" label={words.ecosystem} hint="npm" />
        </Chips>
        <Skipped request={request} isRange={range !== ""} />
        <GrowingTable
          label={words.images}
          pages={pages}
          columns={COLUMNS}
          keyOf={({ repoUid, digest, package: found }) => `${repoUid} ${digest} ${found?.purl}`}
          countOf={(total) => counted(total, "image")}
          empty={<Empty title={words.empty}>{words.emptyText}</Empty>}
        />
      </section>
      <section aria-labelledby="package-vulnerabilities">
        <h2 id="package-vulnerabilities">{words.vulnerabilities}</h2>
        {name !== "" && (
          <VulnerabilitiesTable
            label={words.vulnerabilities}
            request={{ uidp, package: name, ...(search.used === "true" && { inUse: true }) }}
          />
        )}
      </section>
    </Page>
  );
}

/** Versions that a range cannot decide about: their images are not in the list. */
function Skipped({ request, isRange }: { readonly request: object; readonly isRange: boolean }) {
  const one = { ...request, pageSize: 1 };
  const { data } = useRead(api.inventory.listPackageImages, one, { enabled: isRange });
  const versions = data?.skipped?.versions ?? [];
  if (versions.length === 0) return null;
  return <p className="note">{words.skipped(versions.join(", "))}</p>;
}
