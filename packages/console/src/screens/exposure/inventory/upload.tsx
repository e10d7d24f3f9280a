import { useState } from "react";
import { api, useChange } from "../../../api/client.ts";
import { useExposureRefresh } from "../../../api/exposure.ts";
import { inventoryTexts as words } from "../../../texts/inventory.ts";
import { bytesText } from "../../../ui/bytes.ts";
import { FormDialog } from "../../../ui/form.tsx";

/** The server's limit of a document. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Uploads an SBOM or a VEX document for an image, or for all images of an index. */
export function UploadDocument({
  repo,
  digest,
}: {
  readonly repo: string;
  readonly digest: string;
}) {
  const upload = useChange(api.inventory.uploadImageDocument);
  const refresh = useExposureRefresh();
  const [file, setFile] = useState<File>();
  return (
    <FormDialog
      submit={words.upload}
      title={words.uploadTitle}
      className="button quiet"
      onSubmit={async () => {
        if (file === undefined) throw new Error(words.uploadMissing);
        if (file.size > MAX_BYTES) throw new Error(words.uploadTooLarge);
        const content = base64(await dataUrl(file));
        await upload.mutateAsync({ repoUid: repo, digest, content });
        refresh();
        return { message: words.uploaded(file.name) };
      }}
    >
      <p>{words.uploadText}</p>
      <div className="field">
        <label>
          {words.uploadFile}
          <input
            type="file"
            accept=".json,.gz,application/json"
            onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
          />
        </label>
      </div>
      {upload.isPending && file !== undefined && (
        <p role="status">
          {words.uploading(file.name, bytesText(file.size))}
          <progress aria-label={file.name} />
        </p>
      )}
    </FormDialog>
  );
}

/** The content of a file as a data URL, encoded by the browser without blocking the page. */
function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

function base64(url: string): string {
  return url.slice(url.indexOf(",") + 1);
}
