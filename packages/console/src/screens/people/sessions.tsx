import { useQueries } from "@tanstack/react-query";
import { WharfError } from "@wharf/client/json";
import type { PersonSessionJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { allPages } from "../../api/all-pages.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { rootOf } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { peopleTexts } from "../../texts/people.ts";
import { Empty, Failed, Loading } from "../../ui/feedback.tsx";
import { FormDialog } from "../../ui/form.tsx";
import type { Submit } from "../../ui/form-base.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

/**
 * The sessions of a person that the caller may see: through the identity providers of the organization, or
 * anywhere for the operator. Ending a session ends its tokens at once.
 */
export function Sessions({
  group,
  identity,
}: {
  readonly group: string;
  readonly identity: string;
}) {
  const { can, isKnown } = useAccess();
  const isOperator = can("identity_providers.list", "");
  const providers = useRead(api.identityProviders.list, {
    uidp: { descendantsOf: rootOf(group) },
    pageSize: 200,
  });
  const known = (providers.data?.identityProviders ?? []).filter(({ uid = "" }) =>
    can("identity_providers.list", uid),
  );
  const through = known.map(({ uid = "" }) => ({ identityProvider: uid, identity }));
  const requests = isOperator ? [{ identity }] : [{ identity }, ...through];
  const found = useQueries({
    queries: requests.map((request) => ({
      queryKey: ["/auth/v1/sessions", "of others", request],
      queryFn: () =>
        allPages(api.sessions.list, request, ({ sessions }) => sessions).catch(noneIfDenied),
    })),
  });
  const end = useChange(api.sessions.end);
  const failed = providers.error ?? found.find(({ error }) => error !== null)?.error;
  if (failed) return <Failed error={failed} />;
  if (!isKnown || providers.data === undefined) return <Loading />;
  if (found.some(({ isPending }) => isPending)) return <Loading />;
  if (found.every(({ data }) => data === null)) {
    return <Empty title={peopleTexts.sessionsHidden}>{peopleTexts.sessionsHiddenText}</Empty>;
  }
  const all = new Map(found.flatMap(({ data }) => data ?? []).map((one) => [one.id, one]));
  const sessions = [...all.values()];
  const mayEnd = ({ identityProvider = "", current }: PersonSessionJson) =>
    !current &&
    (isOperator || identityProvider === "" || can("identity_providers.update", identityProvider));
  const endAll = async (some: readonly PersonSessionJson[]) => {
    for (const { id = "" } of some) await end.mutateAsync({ id });
    return { message: peopleTexts.ended(some.length) };
  };
  const columns: readonly Column<PersonSessionJson>[] = [
    {
      header: texts.columns.device,
      cell: ({ userAgent }) => userAgent || <span className="soft">{peopleTexts.hidden}</span>,
    },
    { header: texts.columns.address, cell: ({ remoteAddress }) => remoteAddress, isExtra: true },
    { header: texts.columns.created, cell: ({ createTime }) => <Age time={createTime} /> },
    { header: texts.columns.lastSeen, cell: ({ lastUsedTime }) => <Age time={lastUsedTime} /> },
    {
      header: texts.columns.actions,
      cell: (session) =>
        mayEnd(session) && <End trigger={peopleTexts.end} end={() => endAll([session])} />,
    },
  ];
  const endable = sessions.filter(mayEnd);
  const [state = { error: null, isPlaceholderData: false }] = found;
  return (
    <>
      {endable.length > 1 && (
        <div>
          <End trigger={peopleTexts.endAll(endable.length)} end={() => endAll(endable)} />
        </div>
      )}
      <Table
        label={peopleTexts.sessions}
        query={{ ...state, data: sessions } as never}
        list={{ rows: sessions, total: sessions.length }}
        columns={columns}
        keyOf={({ id = "" }) => id}
        defaultSort=""
        empty={<Empty title={peopleTexts.noSessions}>{peopleTexts.noSessionsText}</Empty>}
      />
    </>
  );
}

/** Null for a denied request: such sessions are left out. */
function noneIfDenied(error: unknown): null {
  if (error instanceof WharfError && error.code === "PERMISSION_DENIED") return null;
  throw error;
}

function End({ trigger, end }: { readonly trigger: string; readonly end: Submit }) {
  return (
    <FormDialog
      title={peopleTexts.endTitle}
      submit={trigger}
      isDangerous
      className="button quiet small"
      onSubmit={end}
    >
      <p>{peopleTexts.endText}</p>
    </FormDialog>
  );
}
