import type { SigningKeyJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { useOperatorChange, useOperatorRead } from "../../api/operator.ts";
import { texts } from "../../texts/common.ts";
import { operatorTexts as words } from "../../texts/operator.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Empty } from "../../ui/feedback.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Age } from "../../ui/time.tsx";

const COLUMNS: readonly Column<SigningKeyJson>[] = [
  { header: words.kid, cell: ({ kid }) => <code>{kid}</code> },
  { header: words.use, cell: ({ use }) => use },
  { header: words.algorithm, cell: ({ algorithm }) => algorithm, isExtra: true },
  {
    header: texts.columns.state,
    cell: ({ state = "" }) => (
      <span className={state === "STATE_CURRENT" ? "badge good" : "badge quiet"}>
        {words.states[state] ?? state}
      </span>
    ),
  },
  { header: words.age, cell: ({ createTime }) => <Age time={createTime} /> },
  { header: words.retires, cell: ({ retireTime }) => <Age time={retireTime} /> },
];

/** The keys that are accepted, and their rotation. */
export function Keys() {
  const query = useOperatorRead(api.installation.listSigningKeys, {});
  const rotate = useOperatorChange(api.installation.rotateSigningKeys);
  const keys = query.data?.signingKeys;
  return (
    <>
      <div className="section-head">
        <p className="lead">{words.leak}</p>
        <ConfirmDialog
          change={rotate}
          request={{}}
          title={words.rotateTitle}
          submit={words.rotate}
          isDangerous={false}
          className="button"
          message={words.rotated}
        >
          <p>{words.rotateText}</p>
        </ConfirmDialog>
      </div>
      <Table
        label={words.tabs.keys}
        query={query}
        list={{ rows: keys, total: keys?.length }}
        columns={COLUMNS}
        keyOf={({ kid = "" }) => kid}
        defaultSort=""
        empty={<Empty title={words.tabs.keys}>{words.none}</Empty>}
      />
    </>
  );
}
