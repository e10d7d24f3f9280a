import type { PersonSessionJson } from "@wharf/contract/messages";
import { api, useChange, useRead } from "../api/client.ts";
import { texts } from "../texts.ts";
import { Empty } from "../ui/feedback.tsx";
import { Page } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Age } from "../ui/time.tsx";
import { toast } from "../ui/toast.tsx";

/** The sessions of the person, and the way to their password and passkeys. */
export function Account() {
  const query = useRead(api.sessions.list, {});
  const end = useChange(api.sessions.end);
  const columns: readonly Column<PersonSessionJson>[] = [
    { header: texts.columns.device, cell: ({ userAgent }) => userAgent },
    { header: texts.columns.address, cell: ({ remoteAddress }) => remoteAddress, isExtra: true },
    { header: texts.columns.created, cell: ({ createTime }) => <Age time={createTime} /> },
    { header: texts.columns.lastSeen, cell: ({ lastUsedTime }) => <Age time={lastUsedTime} /> },
    {
      header: texts.columns.actions,
      cell: ({ id = "", current }) =>
        current ? (
          texts.account.current
        ) : (
          <button
            type="button"
            className="button quiet small"
            onClick={async () => {
              await end.mutateAsync({ id });
              toast(texts.account.ended);
            }}
          >
            {texts.account.end}
          </button>
        ),
    },
  ];
  return (
    <Page
      title={texts.shell.account}
      command={{ cli: "wharf auth sessions list", rest: "/auth/v1/sessions" }}
    >
      <section aria-labelledby="credentials">
        <h2 id="credentials">{texts.account.manage}</h2>
        <p>
          {texts.account.manageText} <a href="/account">{texts.account.manage}</a>
        </p>
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">{texts.account.sessions}</h2>
        <Table
          label={texts.account.sessions}
          query={query}
          list={{ rows: query.data?.sessions, total: query.data?.sessions?.length }}
          columns={columns}
          keyOf={(row) => row.id ?? ""}
          defaultSort=""
          empty={<Empty title={texts.account.empty}>{texts.account.emptyText}</Empty>}
        />
      </section>
    </Page>
  );
}
