import type {
  InstallationStatus_AuditSinkStatusJson,
  InstallationStatus_V1CallerStatusJson,
  InstallationStatusJson,
} from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { useOperatorRead } from "../../api/operator.ts";
import { operatorTexts as words } from "../../texts/operator.ts";
import { Facts } from "../../ui/facts.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";

const SINKS: readonly Column<InstallationStatus_AuditSinkStatusJson>[] = [
  { header: words.sink, cell: ({ url }) => <code>{url}</code> },
  { header: words.pending, cell: ({ pendingEntries = "0" }) => pendingEntries },
];

const CALLERS: readonly Column<InstallationStatus_V1CallerStatusJson>[] = [
  { header: words.caller, cell: ({ caller = "" }) => <Uid uid={caller} /> },
  { header: words.method, cell: ({ method }) => <code>{method}</code> },
  { header: words.calls, cell: ({ calls = "0" }) => calls },
];

/** Version, health, sinks, and who still calls version 1. */
export function Status() {
  const query = useOperatorRead(api.installation.getStatus, {});
  if (query.error !== null) return <Failed error={query.error} />;
  if (query.data === undefined) return <Loading />;
  const { auditSinks = [], v1Callers = [], v1DeprecationTime } = query.data;
  return (
    <>
      <Summary status={query.data} />
      <section aria-labelledby="sinks">
        <h2 id="sinks">{words.sinks}</h2>
        <Table
          label={words.sinks}
          query={query}
          list={{ rows: auditSinks, total: auditSinks.length }}
          columns={SINKS}
          keyOf={({ url = "" }) => url}
          defaultSort=""
          empty={<Empty title={words.noSinks}>{words.noSinksText}</Empty>}
        />
      </section>
      <section aria-labelledby="v1">
        <h2 id="v1">{words.v1}</h2>
        <Table
          label={words.v1}
          query={query}
          list={{ rows: v1Callers, total: v1Callers.length }}
          columns={CALLERS}
          keyOf={({ caller, method }) => `${caller} ${method}`}
          defaultSort=""
          empty={
            v1DeprecationTime === undefined ? (
              <Empty title={words.v1Off}>{words.v1OffText}</Empty>
            ) : (
              <Empty title={words.v1None}>{words.v1NoneText}</Empty>
            )
          }
        />
      </section>
    </>
  );
}

function Summary({ status }: { readonly status: InstallationStatusJson }) {
  const { problem, version, commit, startTime, database, keyRotationDays = 0 } = status;
  return (
    <Facts
      facts={{
        [words.state]: (
          <span className={problem ? "badge bad" : "badge good"}>{problem || words.healthy}</span>
        ),
        [words.version]: version,
        [words.commit]: commit && <code>{commit}</code>,
        [words.started]: <Age time={startTime} />,
        [words.database]: database,
        [words.rotation]: words.rotations(keyRotationDays),
      }}
    />
  );
}
