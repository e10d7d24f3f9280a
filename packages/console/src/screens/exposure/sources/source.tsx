import type { RejectedRecordJson, VulnerabilitySourceJson } from "@wharf/contract/messages";
import { api, useRead } from "../../../api/client.ts";
import { useScreenLocation } from "../../../app/location.ts";
import { texts } from "../../../texts/common.ts";
import { sourceTexts } from "../../../texts/sources.ts";
import { DeleteResource } from "../../../ui/delete-resource.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { FailedPage } from "../../../ui/failed-page.tsx";
import { Loading } from "../../../ui/feedback.tsx";
import { PlainTable } from "../../../ui/growing-table.tsx";
import { Page } from "../../../ui/page.tsx";
import type { Column } from "../../../ui/table.tsx";
import { Age } from "../../../ui/time.tsx";
import { PauseSource, RunSource } from "./actions.tsx";
import { EditSource } from "./form.tsx";
import { kindName } from "./freshness.tsx";
import { useMayManage } from "./sources.tsx";
import { SourceState } from "./state.tsx";

const COLUMNS: readonly Column<RejectedRecordJson>[] = [
  { header: texts.columns.name, cell: ({ name }) => <code>{name}</code> },
  { header: texts.columns.description, cell: ({ reason }) => reason },
];

/** A source of vulnerability data: its state, and what its last import has left out. */
export function Screen() {
  const { uid: group, resource: uid } = useScreenLocation();
  const { data, error } = useRead(api.vulnerabilitySources.get, { uid });
  const mayManage = useMayManage(uid);
  if (error !== null) return <FailedPage error={error} group={group} />;
  if (data === undefined) return <Loading />;
  const rest = `/exposure/v2beta1/vulnerabilitySources/${uid}`;
  return (
    <Page
      title={data.name ?? ""}
      group={group}
      command={{ cli: `wharf api GET ${rest}`, rest }}
      actions={
        mayManage && (
          <>
            <RunSource source={data} />
            <PauseSource source={data} />
            <EditSource source={data} />
            <DeleteResource
              resource={data}
              method={api.vulnerabilitySources.delete}
              list="vulnerabilities"
              words={sourceTexts}
            />
          </>
        )
      }
    >
      <SourceFacts source={data} />
      <Rejections source={data} />
    </Page>
  );
}

function SourceFacts({ source }: { readonly source: VulnerabilitySourceJson }) {
  const { status = {}, ecosystems = [], url, interval } = source;
  return (
    <Facts
      facts={{
        [texts.columns.state]: <SourceState source={source} />,
        [texts.columns.kind]: kindName(source.kind),
        [sourceTexts.fields.ecosystems]: ecosystems.join(", "),
        [sourceTexts.fields.url]: url && <code>{url}</code>,
        [sourceTexts.interval]: interval && intervalText(interval),
        [sourceTexts.lastSuccess]: status.lastSuccessTime ? (
          <Age time={status.lastSuccessTime} />
        ) : (
          sourceTexts.never
        ),
        [sourceTexts.data]: status.dataTime && <Age time={status.dataTime} />,
        [sourceTexts.next]: status.nextAttemptTime && <Age time={status.nextAttemptTime} />,
        [sourceTexts.records]: Number(status.records ?? 0).toLocaleString("en"),
      }}
    />
  );
}

function intervalText(interval: string): string {
  return (sourceTexts.fields.intervals as Readonly<Record<string, string>>)[interval] ?? interval;
}

function Rejections({ source: { status = {} } }: { readonly source: VulnerabilitySourceJson }) {
  const rejected = Number(status.rejected ?? 0);
  if (rejected === 0) return null;
  return (
    <section aria-labelledby="rejected">
      <h2 id="rejected">{sourceTexts.rejectedTitle}</h2>
      <p className="soft">{sourceTexts.rejected(rejected)}</p>
      <div className="table-frame">
        <PlainTable
          label={sourceTexts.rejectedTitle}
          rows={status.rejections ?? []}
          columns={COLUMNS}
          keyOf={({ name = "" }) => name}
        />
      </div>
    </section>
  );
}
