import { Link } from "@tanstack/react-router";
import type { VulnerabilitySourceJson } from "@wharf/contract/messages";
import { api, useRead } from "../../../api/client.ts";
import { screenLink } from "../../../app/location.ts";
import { texts } from "../../../texts/common.ts";
import { exposureTexts } from "../../../texts/exposure.ts";
import { SOURCE_KINDS, sourceTexts } from "../../../texts/sources.ts";
import { Described } from "../../../ui/described.tsx";
import { PlainTable } from "../../../ui/growing-table.tsx";
import type { Column } from "../../../ui/table.tsx";
import { Age } from "../../../ui/time.tsx";
import { SourceState } from "./state.tsx";

const { overview: words } = exposureTexts;

/** Sources that an overview shows. */
const MAX_SOURCES = 100;

export const SOURCE_NAME: Column<VulnerabilitySourceJson> = {
  header: texts.columns.name,
  sort: "name",
  cell: ({ uid = "", name, kind, ecosystems = [] }) => (
    <Described text={[kindName(kind), ecosystems.join(", ")].filter(Boolean).join(": ")}>
      <Link {...screenLink("source", uid)}>{name}</Link>
    </Described>
  ),
};

export const SOURCE_STATE: Column<VulnerabilitySourceJson> = {
  header: texts.columns.state,
  cell: (source) => <SourceState source={source} />,
};

export const SOURCE_TIMES: readonly Column<VulnerabilitySourceJson>[] = [
  {
    header: sourceTexts.lastSuccess,
    cell: ({ status }) =>
      status?.lastSuccessTime ? <Age time={status.lastSuccessTime} /> : sourceTexts.never,
  },
  {
    header: sourceTexts.data,
    cell: ({ status }) => (status?.dataTime ? <Age time={status.dataTime} /> : sourceTexts.noData),
  },
];

export function kindName(kind: string | undefined): string {
  return (SOURCE_KINDS as Readonly<Record<string, string>>)[kind ?? ""] ?? "";
}

/** Age of the data behind the findings of a group: of its own sources, and of those of the groups above. */
export function Freshness({
  group,
  matchTime,
}: {
  readonly group: string;
  readonly matchTime: string | undefined;
}) {
  const rows = useSourcesOf(group);
  const { sort: _, ...name } = SOURCE_NAME;
  return (
    <section aria-labelledby="freshness">
      <h2 id="freshness">{words.freshness}</h2>
      {matchTime && (
        <p className="soft">
          {words.matched} <Age time={matchTime} />.
        </p>
      )}
      {rows.length === 0 ? (
        <p>
          {words.noSources}{" "}
          <Link to="." search={{ tab: "sources" } as never}>
            {words.addSource}
          </Link>
        </p>
      ) : (
        <div className="table-frame">
          <PlainTable
            label={words.freshness}
            rows={rows}
            columns={[name, SOURCE_STATE, ...SOURCE_TIMES]}
            keyOf={({ uid = "" }) => uid}
          />
        </div>
      )}
    </section>
  );
}

/** The sources of a group and everything below it, and those of the groups above. */
export function useSourcesOf(group: string): readonly VulnerabilitySourceJson[] {
  const below = useSources({ descendantsOf: group });
  const above = useSources({ ancestorsOf: group });
  const all = [...above, ...below];
  return all.filter(({ uid }, at) => all.findIndex((one) => one.uid === uid) === at);
}

/** Whether a source has not imported for longer than it should. */
export function isBehind({ status }: VulnerabilitySourceJson): boolean {
  const { state } = status ?? {};
  return (
    state === "VULNERABILITY_SOURCE_STATE_FAILING" || state === "VULNERABILITY_SOURCE_STATE_STALE"
  );
}

function useSources(uidp: object): readonly VulnerabilitySourceJson[] {
  const { data } = useRead(api.vulnerabilitySources.list, { uidp, pageSize: MAX_SOURCES });
  return data?.vulnerabilitySources ?? [];
}
