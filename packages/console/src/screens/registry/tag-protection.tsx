import type { TagJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { type AppliedRule, useTagRules } from "../../api/tag-rules.ts";
import { parentOf } from "../../app/location.ts";
import { protectionTexts } from "../../texts/registry.ts";
import { CheckField } from "../../ui/fields.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Age } from "../../ui/time.tsx";

/** The button that protects a tag, or deletes the rule that does. */
export function ChangeProtection({ tag }: { readonly tag: TagJson }) {
  const { can } = useAccess();
  const rules = useTagRules(tag);
  if (!can("registry.settings.update", parentOf(tag.uid ?? ""))) return null;
  return rules.some(({ isOwn }) => isOwn) ? (
    <Unprotect tag={tag} rules={rules} />
  ) : (
    <Protect tag={tag} />
  );
}

function Protect({ tag: { uid = "", name = "" } }: { readonly tag: TagJson }) {
  const create = useChange(api.tagRules.create, [api.tags.get]);
  return (
    <FormDialog
      title={protectionTexts.protectTitle(name)}
      submit={protectionTexts.protect}
      className="button quiet"
      onSubmit={async (text) => {
        const immutable = text("immutable") === "on";
        const tagRule = { name, tags: [name], protected: true, immutable };
        await create.mutateAsync({ parent: parentOf(uid), tagRule });
        return { message: protectionTexts.protectDone(name) };
      }}
    >
      <p>{protectionTexts.protectText}</p>
      <CheckField
        name="immutable"
        label={protectionTexts.immutable}
        hint={protectionTexts.immutableHint}
      />
    </FormDialog>
  );
}

function Unprotect({
  tag: { name = "" },
  rules,
}: {
  readonly tag: TagJson;
  readonly rules: readonly AppliedRule[];
}) {
  const remove = useChange(api.tagRules.delete, [api.tags.get]);
  const others = rules.filter(({ isOwn }) => !isOwn);
  return (
    <FormDialog
      title={protectionTexts.unprotectTitle(name)}
      submit={protectionTexts.unprotect}
      className="button quiet"
      onSubmit={async () => {
        for (const { rule, isOwn } of rules) {
          if (isOwn) await remove.mutateAsync({ uid: rule.uid ?? "" });
        }
        return { message: protectionTexts.unprotectDone(name) };
      }}
    >
      <p>{protectionTexts.unprotectText}</p>
      {others.length > 0 && (
        <>
          <p>{protectionTexts.others}</p>
          <Rules rules={others} />
        </>
      )}
    </FormDialog>
  );
}

/** The rules that apply to a tag, and a warning if retention is about to delete it. */
export function Protection({ tag }: { readonly tag: TagJson }) {
  const rules = useTagRules(tag);
  return (
    <>
      {tag.deleteTime !== undefined && (
        <p className="failed" role="status">
          {protectionTexts.deletion} <Age time={tag.deleteTime} />
          {protectionTexts.unlessKept}
        </p>
      )}
      {rules.length > 0 && <Rules rules={rules} />}
    </>
  );
}

function Rules({ rules }: { readonly rules: readonly AppliedRule[] }) {
  return (
    <ul className="tag-rules" aria-label={protectionTexts.rules}>
      {rules.map(({ rule, of }) => (
        <li key={rule.uid} className="line">
          {rule.protected && <span className="badge good">{protectionTexts.isProtected}</span>}
          {rule.immutable && <span className="badge good">{protectionTexts.isImmutable}</span>}
          <span>{protectionTexts.by(rule.name ?? "", of)}</span>
          {rule.description && <span className="soft">{rule.description}</span>}
        </li>
      ))}
    </ul>
  );
}
