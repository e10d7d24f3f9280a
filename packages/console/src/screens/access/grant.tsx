import { Link } from "@tanstack/react-router";
import type { RoleJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { capabilityName } from "../../api/capabilities.ts";
import { api, useChange } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";
import { FormDialog } from "../../ui/form.tsx";
import { type Choice, Picker } from "../../ui/picker.tsx";
import { useIdentityChoices, useRoleChoices } from "../../ui/pickers.tsx";
import { Withheld } from "../../ui/withheld.tsx";

/** Grants a role at a group; roles with capabilities that the caller lacks are disabled. */
export function Grant({
  parent,
  identity,
  className = "button",
}: {
  readonly parent: string;
  /** The preselected identity. */
  readonly identity?: Choice;
  readonly className?: string;
}) {
  const create = useChange(api.roleBindings.create, [api.access.list, api.auth.validate]);
  const { can } = useAccess();
  if (!can("role_bindings.create", parent)) {
    return <Withheld label={accessTexts.grant} capability="role_bindings.create" />;
  }
  return (
    <FormDialog
      submit={accessTexts.grant}
      icon="plus"
      className={className}
      onSubmit={async (text) => {
        const roleBinding = { identityUid: text("identityUid"), roleUid: text("roleUid") };
        await create.mutateAsync({ parent, roleBinding });
        return { message: accessTexts.granted };
      }}
    >
      <Picker
        label={accessTexts.identity}
        name="identityUid"
        useChoices={useIdentityChoices}
        {...(identity && { initial: identity })}
      />
      {identity === undefined && <Elsewhere group={parent} />}
      <RolePicker group={parent} />
    </FormDialog>
  );
}

/** A link to invites, for people whom the caller cannot see. */
function Elsewhere({ group }: { readonly group: string }) {
  return (
    <p className="hint">
      {accessTexts.elsewhere}{" "}
      <Link {...screenLink("people", group)} search={{ tab: "invites" } as never}>
        {accessTexts.inviteThem}
      </Link>
    </p>
  );
}

/** Chooses a role that the caller can grant at a group. */
export function RolePicker({ group }: { readonly group: string }) {
  const { can } = useAccess();
  const lacks = ({ capabilities = [] }: RoleJson) => {
    const missing = capabilities.map(capabilityName).filter((one) => !can(one, group));
    return missing.length === 0 ? undefined : accessTexts.lacks(missing);
  };
  const useChoices = (text: string) => useRoleChoices(text, lacks);
  return <Picker label={accessTexts.role} name="roleUid" useChoices={useChoices} />;
}
