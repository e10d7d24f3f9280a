import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { screenLink, useListSearch, usePlace } from "../../app/place.ts";
import { identityTexts } from "../../texts/identities.ts";
import { TextField } from "../../ui/fields.tsx";
import { Page } from "../../ui/page.tsx";
import { PageForm } from "../../ui/page-form.tsx";
import { type Choice, Picker } from "../../ui/picker.tsx";
import { useRoleChoices } from "../../ui/pickers.tsx";
import { toast } from "../../ui/toast.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { bindRole, checkRole } from "./bind-role.ts";
import { PlatformField } from "./field.tsx";
import type { Draft, Values } from "./platforms/platform.ts";
import { PLATFORMS, type PlatformName } from "./platforms.ts";
import { Preview } from "./preview.tsx";
import { shellWord } from "./trust.ts";

/** Builds an identity for a platform, and shows what it would accept. */
export function Screen() {
  const { uid } = usePlace();
  const [{ platform }] = useListSearch();
  const name = Object.hasOwn(PLATFORMS, platform ?? "") ? (platform as PlatformName) : "github";
  return <Builder parent={uid} platform={name} />;
}

interface Entered {
  readonly platform: PlatformName;
  readonly values: Values;
  readonly role: Choice | null;
}

function Builder({
  parent,
  platform,
}: {
  readonly parent: string;
  readonly platform: PlatformName;
}) {
  const [last, setEntered] = useState<Entered>({ platform, values: {}, role: null });
  // What was entered for one platform makes no sense for another.
  const entered = last.platform === platform ? last : { platform, values: {}, role: null };
  const { values, role } = entered;
  const { lead, fields, draft: draftOf } = PLATFORMS[platform];
  const { can, isKnown } = useAccess();
  const create = useCreate(parent);
  const draft = draftOf(values);
  const name = values.name || draft.name;
  const mayCreate = can("identity.create", parent);
  return (
    <Page
      title={identityTexts.create}
      place={parent}
      command={{
        cli: commandOf(draft, { name: values.name, parent, role: role?.label }),
        rest: `/iam/v2beta1/identities/${parent}`,
        body: { name, ...draft.relationship },
      }}
    >
      <Platforms parent={parent} current={platform} />
      <p className="lead">{lead}</p>
      <div className="builder">
        <PageForm
          label={identityTexts.create}
          submit={
            isKnown && !mayCreate ? (
              <Withheld label={identityTexts.create} capability="identity.create" />
            ) : (
              identityTexts.create
            )
          }
          key={platform}
          onEnter={(next) => setEntered({ ...entered, values: next })}
          onSubmit={() =>
            create({ ...draft, name, description: values.description || draft.description }, role)
          }
        >
          {fields
            .filter(({ when }) => when?.(values) ?? true)
            .map((field) => (
              <PlatformField key={field.name} field={field} />
            ))}
          <TextField
            name="name"
            label={identityTexts.name}
            hint={identityTexts.nameHint}
            placeholder={draft.name}
            isRequired={draft.name === ""}
          />
          <TextField
            name="description"
            label={identityTexts.description}
            placeholder={draft.description}
          />
          {can("role_bindings.create", parent) && (
            <Picker
              label={identityTexts.role}
              name="role"
              useChoices={useRoleChoices}
              isRequired={false}
              onChoose={(next) => setEntered({ ...entered, role: next })}
            />
          )}
        </PageForm>
        <Preview draft={draft} />
      </div>
    </Page>
  );
}

/** The platforms, each with a URL. */
function Platforms({
  parent,
  current,
}: {
  readonly parent: string;
  readonly current: PlatformName;
}) {
  return (
    <nav className="tabs" aria-label={identityTexts.platform}>
      <ul>
        {Object.entries(PLATFORMS).map(([platform, { label }]) => (
          <li key={platform}>
            <Link
              {...screenLink("new-identity", parent)}
              search={{ platform } as never}
              activeProps={{}}
              {...(platform === current && { "aria-current": "page" as const })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Creates an identity with its role, or neither. */
function useCreate(parent: string) {
  const navigate = useNavigate();
  const change = useChange(api.identities.create, [api.roleBindings.list]);
  return async ({ name, description, relationship }: Draft, role: Choice | null) => {
    const identity = { name, description, ...relationship };
    if (role !== null) await checkRole(parent, role.value);
    const { uid = "" } = await change.mutateAsync({ parent, identity });
    if (role !== null) await bindRole(parent, uid, role.value);
    toast(identityTexts.created(name));
    navigate({ ...screenLink("identity", uid), search: { tab: "use" } } as never);
  };
}

function commandOf(
  { command }: Draft,
  given: { name: string | undefined; parent: string; role: string | undefined },
): string {
  const { name, parent, role } = given;
  const isGeneric = command[0] === "NAME";
  const words = isGeneric ? [name ? shellWord(name) : "NAME", ...command.slice(1)] : command;
  return [
    "wharf iam identities create",
    ...words.slice(0, command[0] === "aws" ? 2 : 1),
    ...(name && !isGeneric ? [shellWord(name)] : []),
    ...words.slice(command[0] === "aws" ? 2 : 1),
    `--parent ${parent}`,
    ...(role ? [`--role ${shellWord(role)}`] : []),
  ].join(" ");
}
