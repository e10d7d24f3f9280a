import type { AccessGrantJson, ListAccessRequestJson } from "@wharf/contract/messages";
import { useState } from "react";
import { allPages } from "../../api/all-pages.ts";
import { capabilityName } from "../../api/capabilities.ts";
import { api } from "../../api/client.ts";
import { accessTexts } from "../../texts/access.ts";
import { csvOf } from "../../ui/csv.ts";
import { Icon } from "../../ui/icons.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { toastError } from "../../ui/toast.tsx";

const HEADER = [
  "identity_uid",
  "identity",
  "subject",
  "email",
  "external_group",
  "role_uid",
  "role",
  "group_uid",
  "group",
  "inherited",
  "kind",
  "obstacle",
  "capabilities",
];

/** Saves all grants of a list as CSV, over all its pages. */
export function ExportCsv({ request }: { readonly request: ListAccessRequestJson }) {
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const grants = await allPages(api.access.list, request, (page) => page.grants);
      const csv = csvOf(HEADER, grants.map(cells));
      saveFile("access.csv", new Blob([csv], { type: "text/csv" }));
    } catch (error) {
      toastError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" className="button quiet" disabled={isBusy} onClick={save}>
      <Icon name="download" />
      {accessTexts.export}
    </button>
  );
}

function cells(grant: AccessGrantJson): string[] {
  const { identity, role, group, kind = "", obstacle = "" } = grant;
  return [
    identity?.uid ?? "",
    identity?.name ?? "",
    identity?.subject ?? "",
    identity?.email ?? "",
    grant.externalGroupId ?? "",
    role?.uid ?? "",
    role?.name ?? "",
    group?.uid ?? "",
    group?.name ?? "",
    String(grant.inherited ?? false),
    kind.replace("ACCESS_GRANT_KIND_", "").toLowerCase(),
    obstacle.replace(/^ACCESS_OBSTACLE_(UNSPECIFIED)?/, "").toLowerCase(),
    (grant.capabilities ?? []).map(capabilityName).join(" "),
  ];
}
