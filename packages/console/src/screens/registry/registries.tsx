import type { RegistryJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { useOperatorChange, useOperatorRead } from "../../api/operator.ts";
import { registriesTexts } from "../../texts/registry.ts";
import { Described } from "../../ui/described.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import { OperatorGate } from "../../ui/operator-gate.tsx";
import { Page } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";

const PASS_INTERVAL_MS = 1_000;

const COMMAND = "WHARF_TOKEN=$(wharf admin token) wharf registry reconcile";

/** The registries of the installation and their reconcile passes, for its operator. */
export function Screen() {
  // A pass reports nothing when it ends.
  const query = useOperatorRead(api.registries.list, {}, (response) =>
    response?.registries?.some(({ pending }) => pending) ? PASS_INTERVAL_MS : false,
  );
  const reconcile = useOperatorChange(api.registries.reconcile);
  const request = (host: string) =>
    reconcile.mutateAsync({ host }).then(() => toast(registriesTexts.requested), toastError);
  const registries = query.data?.registries ?? [];
  return (
    <Page
      title={registriesTexts.title}
      command={{ cli: COMMAND, rest: "/registry/v2beta1/registries" }}
      actions={
        registries.length > 1 && (
          <button type="button" className="button" onClick={() => request("")}>
            {registriesTexts.reconcileAll}
          </button>
        )
      }
    >
      <p className="lead">{registriesTexts.lead}</p>
      <OperatorGate>
        {query.error !== null && <Failed error={query.error} />}
        {query.isLoading && <Loading />}
        {query.data !== undefined && registries.length === 0 && (
          <Empty title={registriesTexts.empty}>{registriesTexts.emptyText}</Empty>
        )}
        {registries.length > 0 && (
          <div className="table-frame">
            <PlainTable
              label={registriesTexts.title}
              rows={registries}
              columns={columnsOf(request)}
              keyOf={({ host = "" }) => host}
            />
          </div>
        )}
      </OperatorGate>
    </Page>
  );
}

function columnsOf(request: (host: string) => Promise<void>): readonly Column<RegistryJson>[] {
  return [
    { header: registriesTexts.host, cell: ({ host }) => <code>{host}</code> },
    { header: registriesTexts.state, cell: (registry) => <State registry={registry} /> },
    { header: registriesTexts.last, cell: ({ finishTime }) => <Age time={finishTime} /> },
    { header: registriesTexts.findings, cell: ({ findings = {} }) => summaryOf(findings) },
    {
      header: registriesTexts.reconcile,
      cell: ({ host = "", pending }) => (
        <button
          type="button"
          className="button quiet small"
          disabled={pending ?? false}
          onClick={() => request(host)}
        >
          {registriesTexts.reconcile}
        </button>
      ),
    },
  ];
}

function State({ registry: { beginTime, pending, problem } }: { readonly registry: RegistryJson }) {
  if (problem) {
    return (
      <Described text={problem}>
        <span className="badge bad">{registriesTexts.problem}</span>
      </Described>
    );
  }
  const isRunning = beginTime !== undefined;
  const text = isRunning
    ? registriesTexts.running
    : pending
      ? registriesTexts.pending
      : registriesTexts.idle;
  return <span className={isRunning || pending ? "badge calm" : "badge good"}>{text}</span>;
}

/** The non-zero counts of a reconcile pass. */
function summaryOf(findings: NonNullable<RegistryJson["findings"]>): string {
  const names = registriesTexts.finding;
  return (Object.keys(names) as (keyof typeof names)[])
    .filter((name) => (findings[name] ?? 0) > 0)
    .map((name) => `${findings[name]} ${names[name]}`)
    .join(", ");
}
