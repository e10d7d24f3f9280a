import { Link } from "@tanstack/react-router";
import { useAccess } from "../../api/access.ts";
import { allPages } from "../../api/all-pages.ts";
import { api, useChange, useRead } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { peopleTexts } from "../../texts/people.ts";
import { Facts } from "../../ui/facts.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Page } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { Age } from "../../ui/time.tsx";
import { Uid } from "../../ui/uid.tsx";
import { Grant } from "../access/grant.tsx";
import { nameOf } from "../access/who.tsx";
import { bindingColumns } from "./members.tsx";
import { Sessions } from "./sessions.tsx";

/** One person: their roles at a group and below it, and where they are signed in. */
export function PersonDetails({ group, uid }: { readonly group: string; readonly uid: string }) {
  const within = { identity: uid, uidp: { descendantsOf: group } };
  const { data } = useRead(api.roleBindings.list, { ...within, pageSize: 1 });
  const { can } = useAccess();
  const person = data?.roleBindings?.[0]?.identity;
  const name = person ? nameOf(person) : peopleTexts.person;
  const count = Number(data?.totalCount ?? 0);
  return (
    <Page
      title={name}
      group={group}
      command={{
        cli: `wharf access list --identity ${uid}`,
        rest: `/iam/v2beta1/access?identity=${uid}`,
      }}
      actions={
        <>
          {count > 0 && can("role_bindings.delete", group) && (
            <Remove group={group} identity={uid} name={name} count={count} />
          )}
          {can("role_bindings.create", group) && (
            <Grant parent={group} identity={{ value: uid, label: name }} />
          )}
        </>
      }
    >
      <Facts
        facts={{
          [peopleTexts.facts.email]: person?.email,
          [peopleTexts.facts.subject]: person?.subject && <code>{person.subject}</code>,
          [peopleTexts.facts.issuer]: person?.issuer && <code>{person.issuer}</code>,
          [peopleTexts.columns.lastSeen]: person?.lastSeenTime && (
            <Age time={person.lastSeenTime} />
          ),
          [peopleTexts.facts.uid]: <Uid uid={uid} />,
          [peopleTexts.facts.access]: (
            <Link {...screenLink("access", group)} search={{ identity: uid } as never}>
              {peopleTexts.everything}
            </Link>
          ),
        }}
      />
      <section aria-labelledby="roles">
        <h2 id="roles">{peopleTexts.roles}</h2>
        <ResourceList
          label={peopleTexts.roles}
          method={api.roleBindings.list}
          request={within}
          rows={({ roleBindings }) => roleBindings}
          columns={bindingColumns(group, false)}
          defaultSort="create_time desc"
          emptyTitle={peopleTexts.noRoles}
          emptyText={peopleTexts.noRolesText}
        />
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">{peopleTexts.sessions}</h2>
        <Sessions group={group} identity={uid} />
      </section>
    </Page>
  );
}

/** Takes away every role at a group and below it: the person is out with the next request. */
function Remove({
  group,
  identity,
  name,
  count,
}: {
  readonly group: string;
  readonly identity: string;
  readonly name: string;
  readonly count: number;
}) {
  const remove = useChange(api.roleBindings.delete, [api.access.list, api.auth.validate]);
  return (
    <FormDialog
      title={peopleTexts.removeTitle(name)}
      submit={peopleTexts.remove}
      isDangerous
      className="button quiet"
      onSubmit={async () => {
        const request = { identity, uidp: { descendantsOf: group } };
        const bindings = await allPages(
          api.roleBindings.list,
          request,
          ({ roleBindings }) => roleBindings,
        );
        for (const { uid = "" } of bindings) await remove.mutateAsync({ uid });
        return { message: peopleTexts.removed(name) };
      }}
    >
      <p>{peopleTexts.removeText(count)}</p>
    </FormDialog>
  );
}
