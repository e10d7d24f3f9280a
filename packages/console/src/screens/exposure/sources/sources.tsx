import type { VulnerabilitySourceJson } from "@wharf/contract/messages";
import { useAccess } from "../../../api/access.ts";
import { api } from "../../../api/client.ts";
import { texts } from "../../../texts/common.ts";
import { exposureTexts } from "../../../texts/exposure.ts";
import { sourceTexts } from "../../../texts/sources.ts";
import { ResourceList } from "../../../ui/resource-list.tsx";
import type { Column } from "../../../ui/table.tsx";
import { Withheld } from "../../../ui/withheld.tsx";
import { PauseSource, RunSource } from "./actions.tsx";
import { CreateSource } from "./form.tsx";
import { SOURCE_NAME, SOURCE_STATE, SOURCE_TIMES } from "./freshness.tsx";

const COLUMNS: readonly Column<VulnerabilitySourceJson>[] = [
  SOURCE_NAME,
  SOURCE_STATE,
  ...SOURCE_TIMES,
  {
    header: sourceTexts.records,
    cell: ({ status }) => Number(status?.records ?? 0).toLocaleString("en"),
    isExtra: true,
  },
  { header: texts.columns.actions, cell: (source) => <Actions source={source} /> },
];

function Actions({ source }: { readonly source: VulnerabilitySourceJson }) {
  if (!useMayManage(source.uid ?? "")) return null;
  return (
    <div className="row-actions">
      <RunSource source={source} />
      <PauseSource source={source} />
    </div>
  );
}

/** Whether the caller may create and change sources at a group. */
export function useMayManage(at: string): boolean {
  const { can } = useAccess();
  return ["create", "update", "approve"].every((one) => can(`advisories.${one}`, at));
}

/** The sources of vulnerability data of a group and everything below it. */
export function Sources({ group }: { readonly group: string }) {
  const create = useMayManage(group) ? (
    <CreateSource parent={group} />
  ) : (
    <Withheld label={sourceTexts.add} capability="advisories.approve" />
  );
  return (
    <>
      <div className="panel-head">
        <p className="lead">{sourceTexts.lead}</p>
        {create}
      </div>
      <ResourceList
        label={exposureTexts.tabs.sources}
        method={api.vulnerabilitySources.list}
        request={{ uidp: { descendantsOf: group } }}
        rows={({ vulnerabilitySources }) => vulnerabilitySources}
        columns={COLUMNS}
        emptyTitle={sourceTexts.empty}
        emptyText={sourceTexts.emptyText}
      />
    </>
  );
}
