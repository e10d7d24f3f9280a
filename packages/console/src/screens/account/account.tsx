import { Link } from "@tanstack/react-router";
import type { PersonSessionJson } from "@wharf/contract/messages";
import { api, useChange, useRead } from "../../api/client.ts";
import { accountTexts } from "../../texts/account.ts";
import { texts } from "../../texts/common.ts";
import { Empty } from "../../ui/feedback.tsx";
import { Page } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";
import { toast, toastError } from "../../ui/toast.tsx";
import { Credentials } from "./credentials.tsx";

/** The sessions of the person, and the way to their password and passkeys. */
export function Screen() {
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
          accountTexts.current
        ) : (
          <button
            type="button"
            className="button quiet small"
            onClick={() =>
              end.mutateAsync({ id }).then(() => toast(accountTexts.ended), toastError)
            }
          >
            {accountTexts.end}
          </button>
        ),
    },
  ];
  return (
    <Page
      title={texts.shell.account}
      command={{ cli: "wharf auth sessions list", rest: "/auth/v1/sessions" }}
    >
      <Credentials />
      <section aria-labelledby="sessions">
        <h2 id="sessions">{accountTexts.sessions}</h2>
        <Table
          label={accountTexts.sessions}
          query={query}
          list={{ rows: query.data?.sessions, total: query.data?.sessions?.length }}
          columns={columns}
          keyOf={(row) => row.id ?? ""}
          defaultSort=""
          empty={<Empty title={accountTexts.empty}>{accountTexts.emptyText}</Empty>}
        />
      </section>
      <section aria-labelledby="operator">
        <h2 id="operator">{accountTexts.operator}</h2>
        <p>
          {accountTexts.operatorText} <Link to="/operator">{accountTexts.operatorLink}</Link>
        </p>
      </section>
    </Page>
  );
}
