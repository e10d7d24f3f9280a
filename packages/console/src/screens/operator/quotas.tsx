import { Link } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { api } from "../../api/client.ts";
import { useOperatorChange, useOperatorRead } from "../../api/operator.ts";
import { screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { operatorTexts as words } from "../../texts/operator.ts";
import { organizationTexts } from "../../texts/organizations.ts";
import { Empty } from "../../ui/feedback.tsx";
import { CheckField, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { isWholeNumber } from "../../ui/numbers.ts";
import { type Column, Table, useListRequest } from "../../ui/table.tsx";

type Limit = keyof typeof words.limits;
const LIMITS = Object.keys(words.limits) as Limit[];

const COLUMNS: readonly Column<GroupJson>[] = [
  {
    header: words.organization,
    sort: "name",
    cell: ({ uid = "", name }) => <Link {...screenLink("folders", uid)}>{name}</Link>,
  },
  {
    header: words.verified,
    cell: ({ verified }) => (verified ? organizationTexts.yes : organizationTexts.no),
  },
  {
    header: words.quota,
    cell: ({ resourceLimits = {} }) => {
      const set = LIMITS.filter((limit) => resourceLimits[limit] !== undefined);
      return (
        set.map((limit) => `${words.limits[limit]}: ${resourceLimits[limit]}`).join(", ") ||
        words.none
      );
    },
  },
  { header: texts.columns.actions, cell: (group) => <EditQuotas group={group} /> },
];

/** The organizations with what only the operator sets: quotas, and whether the name is verified. */
export function Quotas() {
  const page = useListRequest("name");
  const query = useOperatorRead(api.groups.list, { uidp: { inRoot: true }, ...page });
  return (
    <Table
      label={words.tabs.quotas}
      query={query}
      list={{ rows: query.data?.groups, total: Number(query.data?.totalCount ?? 0) }}
      columns={COLUMNS}
      keyOf={({ uid = "" }) => uid}
      defaultSort="name"
      empty={<Empty title={organizationTexts.empty}>{organizationTexts.emptyText}</Empty>}
    />
  );
}

function EditQuotas({ group }: { readonly group: GroupJson }) {
  const { uid = "", name = "", verified = false, resourceLimits = {} } = group;
  const update = useOperatorChange(api.groups.update);
  return (
    <EditDialog
      title={words.editTitle(name)}
      trigger={words.edit}
      isSmall
      onSubmit={async (text) => {
        // Limits that this form does not show stay.
        const limits: Record<string, number> = { ...resourceLimits };
        for (const limit of LIMITS) {
          const entered = text(limit);
          if (entered === "") delete limits[limit];
          else limits[limit] = Number(entered);
        }
        await update.mutateAsync({
          group: { uid, verified: text("verified") === "on", resourceLimits: limits },
          updateMask: "verified,resource_limits",
        });
        return { message: words.edited };
      }}
    >
      {LIMITS.map((limit) => (
        <TextField
          key={limit}
          name={limit}
          label={words.limits[limit]}
          hint={words.editHint}
          value={resourceLimits[limit]?.toString()}
          check={(text) => (text === "" || isWholeNumber(text) ? undefined : words.quotaProblem)}
        />
      ))}
      <CheckField
        name="verified"
        label={words.isVerified}
        hint={words.verifiedHint}
        isChecked={verified}
      />
    </EditDialog>
  );
}
