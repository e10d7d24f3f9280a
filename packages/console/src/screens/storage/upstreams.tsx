import type { UpstreamJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { pathOf } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { storageTexts } from "../../texts/storage.ts";
import { Code } from "../../ui/code.tsx";
import { Described } from "../../ui/described.tsx";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { PlainTable } from "../../ui/growing-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { Part } from "./part.tsx";
import { Scope, useShellName } from "./scope.tsx";

const { upstreams: words } = storageTexts;

const PAGE_SIZE = 200;

/** The registries that images of a group come from: its own, those above that apply to it, and those below. */
export function Upstreams({ group }: { readonly group: string }) {
  const { can, isKnown } = useAccess();
  const above = useRead(api.upstreams.list, { uidp: { ids: pathOf(group) } });
  const below = useRead(api.upstreams.list, {
    ...{ uidp: { descendantsOf: group }, pageSize: PAGE_SIZE },
  });
  if (!isKnown) return <Loading />;
  if (!can("repo.list", group)) return <p className="note">{words.denied}</p>;
  return (
    <Part query={above} denied={words.denied}>
      {(outer) => (
        <Part query={below} denied={words.denied}>
          {(inner) => {
            const all = [...(outer.upstreams ?? []), ...(inner.upstreams ?? [])];
            const upstreams = [...new Map(all.map((one) => [one.uid, one])).values()];
            return (
              <>
                <List group={group} upstreams={upstreams} />
                {inner.nextPageToken && <p className="soft">{words.first(upstreams.length)}</p>}
              </>
            );
          }}
        </Part>
      )}
    </Part>
  );
}

function List({
  group,
  upstreams,
}: {
  readonly group: string;
  readonly upstreams: readonly UpstreamJson[];
}) {
  const name = useShellName(group);
  if (upstreams.length === 0) {
    const create = `wharf upstreams create ${name} --url https://registry-1.docker.io`;
    return (
      <Empty title={words.empty} action={<Code text={create} />}>
        {words.emptyText}
      </Empty>
    );
  }
  return (
    <div className="table-frame">
      <PlainTable
        label={storageTexts.tabs.upstreams}
        rows={upstreams}
        columns={columnsAt(group)}
        keyOf={({ uid = "" }) => uid}
      />
    </div>
  );
}

function columnsAt(group: string): readonly Column<UpstreamJson>[] {
  return [
    {
      header: words.scope,
      cell: ({ uid = "" }) => (
        <Described text={pathOf(group).slice(0, -1).includes(uid) ? words.above : undefined}>
          <Scope uid={uid} />
        </Described>
      ),
    },
    {
      header: words.url,
      cell: ({ url, path, mode = "UPSTREAM_MODE_UNSPECIFIED" }) => (
        <Described text={[words.modes[mode], path].filter(Boolean).join(", ")}>{url}</Described>
      ),
    },
    {
      header: words.success,
      cell: ({ status: { lastSuccessTime, rateLimitRemaining } = {} }) => (
        <Described text={leftText(rateLimitRemaining)}>
          {lastSuccessTime ? <Age time={lastSuccessTime} /> : texts.never}
        </Described>
      ),
    },
    {
      header: words.error,
      cell: ({ status }) =>
        status?.lastErrorTime ? (
          <Described text={status.lastError}>
            <Age time={status.lastErrorTime} />
          </Described>
        ) : (
          words.none
        ),
    },
    {
      header: words.result,
      cell: ({ uid = "", url = "" }) => <Check uid={uid} url={url} />,
    },
  ];
}

function leftText(requests: string | undefined): string | undefined {
  return requests === undefined ? undefined : words.left(Number(requests));
}

const NEEDED = ["registry.settings.update", "repo.create", "repo.update"];

/** Asks the upstream now, and shows its answer. */
function Check({ uid, url }: { readonly uid: string; readonly url: string }) {
  const { can } = useAccess();
  const { mutate, data, error, isPending } = useChange(api.upstreams.check);
  if (!NEEDED.every((one) => can(one, uid))) return null;
  const { problem, rateLimitRemaining } = data ?? {};
  return (
    <>
      <button
        type="button"
        className="button quiet small"
        aria-label={words.checkOf(url)}
        disabled={isPending}
        onClick={() => mutate({ uid })}
      >
        {words.check}
      </button>
      <div role="status">
        {data !== undefined && (
          <Described text={problem || leftText(rateLimitRemaining)}>
            <span className={problem ? "badge bad" : "badge good"}>
              {problem ? words.fails : words.answers}
            </span>
          </Described>
        )}
      </div>
      {error !== null && <Failed error={error} />}
    </>
  );
}
