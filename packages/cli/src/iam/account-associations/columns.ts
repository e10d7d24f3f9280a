import type { AccountAssociation } from "@wharf/client";
import type { Column } from "../../output/columns.ts";

export const ASSOCIATION_COLUMNS: readonly Column<AccountAssociation>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "AWS", value: ({ amazon }) => amazon?.account },
  { header: "GCP", value: googleOf },
  { header: "Azure", value: azureOf },
  { header: "GitHub", value: githubOf },
  { header: "Services", value: ({ chainguard }) => pairs(chainguard?.serviceBindings), wide: true },
  { header: "Description", value: ({ description }) => description, wide: true },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

function googleOf({ google }: AccountAssociation): string | undefined {
  return google && `${google.projectId} (${google.projectNumber})`;
}

function azureOf({ azure }: AccountAssociation): string | undefined {
  return azure && [azure.tenantId, pairs(azure.clientIds)].filter(Boolean).join(": ");
}

function githubOf({ github }: AccountAssociation): string {
  return Object.entries(github?.appInstallations ?? {})
    .map(([app, { installations }]) => {
      const named = installations.map(({ installationId, name }) => name || String(installationId));
      return `app ${app}: ${named.join(", ")}`;
    })
    .join("; ");
}

function pairs(map: { readonly [name: string]: string } = {}): string {
  return Object.entries(map)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}
