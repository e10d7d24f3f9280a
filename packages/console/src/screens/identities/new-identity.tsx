import { Link } from "@tanstack/react-router";
import {
  PLATFORMS,
  type PlatformName,
  previewOf,
  type Trust,
  trustOf,
  type Values,
} from "@wharf/trust";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { screenLink, useListSearch, useScreenLocation } from "../../app/location.ts";
import { identityTexts } from "../../texts/identities.ts";
import { platformTexts } from "../../texts/platforms.ts";
import { sentence } from "../../texts/sentence.ts";
import { TextField } from "../../ui/fields.tsx";
import { Page } from "../../ui/page.tsx";
import { PageForm } from "../../ui/page-form.tsx";
import { type Choice, Picker } from "../../ui/picker.tsx";
import { useRoleChoices } from "../../ui/pickers.tsx";
import { Withheld } from "../../ui/withheld.tsx";
import { bindRole, checkRole } from "./bind-role.ts";
import { PlatformFields } from "./platform-fields.tsx";
import { commandFor } from "./platforms.ts";
import { Preview } from "./preview.tsx";
import { patternWarnings } from "./warnings.ts";

/** Builds an identity for a platform, and shows what it would accept. */
export function Screen() {
  const { uid } = useScreenLocation();
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
  // Values of one platform make no sense for another.
  const entered = last.platform === platform ? last : { platform, values: {}, role: null };
  const { values, role } = entered;
  const rules = PLATFORMS[platform];
  const { can, isKnown } = useAccess();
  const create = useCreate(parent);
  const draft = previewOf(rules, values);
  // The warnings of platforms say what to do; patterns of any issuer are only known here.
  const warnings =
    platform === "any" ? patternWarnings(draft.relationship) : draft.warnings.map(sentence);
  const mayCreate = can("identity.create", parent);
  return (
    <Page
      title={identityTexts.create}
      group={parent}
      command={{
        cli: commandFor(platform, values, { name: values.name, parent, role: role?.label }),
        rest: `/iam/v2beta1/identities/${parent}`,
        body: { name: values.name || draft.name, ...draft.relationship },
      }}
    >
      <Platforms parent={parent} current={platform} />
      <p className="lead">{platformTexts[platform].lead}</p>
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
          onSubmit={async (_text, sent) => {
            const trust = trustOf(rules, sent);
            const name = sent.name || trust.name;
            return create(
              { ...trust, name, description: sent.description || trust.description },
              role,
            );
          }}
        >
          <PlatformFields platform={platform} values={values} />
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
        <Preview trust={draft} warnings={warnings} />
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
        {Object.entries(platformTexts).map(([platform, { label }]) => (
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
  const change = useChange(api.identities.create, [api.roleBindings.list]);
  return async ({ name, description, relationship }: Trust, role: Choice | null) => {
    const identity = { name, description, ...relationship };
    if (role !== null) await checkRole(parent, role.value);
    const { uid = "" } = await change.mutateAsync({ parent, identity });
    if (role !== null) await bindRole(parent, uid, role.value);
    const open = { ...screenLink("identity", uid), search: { tab: "use" } };
    return { message: identityTexts.created(name), open };
  };
}
