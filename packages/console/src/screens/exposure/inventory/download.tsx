import type { PlatformInventoryJson } from "@wharf/contract/messages";
import { api, client } from "../../../api/client.ts";
import { texts } from "../../../texts/common.ts";
import { inventoryTexts as words } from "../../../texts/inventory.ts";
import { SelectField } from "../../../ui/fields.tsx";
import { FormDialog } from "../../../ui/form.tsx";
import { saveFile } from "../../../ui/save-file.ts";

/** Saves the SBOM of an image as a file: as it was attached, or as CycloneDX. */
export function DownloadSbom({
  repo,
  inventory: { digest = "", source },
}: {
  readonly repo: string;
  readonly inventory: PlatformInventoryJson;
}) {
  // The packages of layers have no document.
  const hasDocument = source !== "INVENTORY_SOURCE_LAYERS";
  const { original, cyclonedx } = words.downloads;
  return (
    <FormDialog
      submit={words.download}
      icon="download"
      className="button quiet"
      onSubmit={async (text) => {
        const format = text("format");
        const { content = "", mediaType = "" } = await client.call(api.inventory.getSbomDocument, {
          ...{ repoUid: repo, digest },
          ...(format !== "original" && { format }),
        });
        const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
        const suffix = format === "cyclonedx" || mediaType.includes("cyclonedx") ? "cdx" : "spdx";
        saveFile(`${digest.slice(7, 19)}.${suffix}.json`, new Blob([bytes], { type: mediaType }));
      }}
    >
      <SelectField
        name="format"
        label={texts.columns.type}
        options={{ ...(hasDocument && { original }), cyclonedx }}
      />
    </FormDialog>
  );
}
