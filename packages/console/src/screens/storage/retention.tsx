import type { RetentionPolicyJson, RetentionRuleJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import { pathOf, rootOf } from "../../app/location.ts";
import { storageTexts } from "../../texts/storage.ts";
import { Code } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Empty, Loading } from "../../ui/feedback.tsx";
import { ShowCommand } from "../../ui/show-command.tsx";
import { Part } from "./part.tsx";
import { Preview } from "./preview.tsx";
import { Scope, useShellName } from "./scope.tsx";

const { retention: words } = storageTexts;

/** The policy that applies to a group, those below it, and what they delete. */
export function Retention({ group }: { readonly group: string }) {
  const { can, isKnown } = useAccess();
  const [isPreviewed, setPreviewed] = useState(false);
  const above = useRead(api.retentionPolicies.list, { uidp: { ids: pathOf(group) } });
  const below = useRead(api.retentionPolicies.list, {
    ...{ uidp: { descendantsOf: group }, pageSize: 200 },
  });
  // A list leaves out what may not be read: it must not look as if nothing was deleted.
  if (!isKnown) return <Loading />;
  if (!can("registry.settings.list", group)) return <p className="note">{words.denied}</p>;
  return (
    <>
      <Part query={above} denied={words.denied}>
        {({ retentionPolicies = [] }) => (
          <Applying
            group={group}
            policies={retentionPolicies}
            isAlone={(below.data?.retentionPolicies ?? []).length === 0}
          />
        )}
      </Part>
      <Part query={below} denied={words.denied}>
        {({ retentionPolicies = [] }) => <Below group={group} policies={retentionPolicies} />}
      </Part>
      <section aria-labelledby="preview">
        <div className="panel-head">
          <h2 id="preview">{words.previewTitle}</h2>
          {!isPreviewed && (
            <button type="button" className="button" onClick={() => setPreviewed(true)}>
              {words.preview}
            </button>
          )}
        </div>
        {isPreviewed && <Preview group={group} />}
      </section>
    </>
  );
}

interface Policies {
  readonly group: string;
  readonly policies: readonly RetentionPolicyJson[];
}

/** The policy of the group, or of the nearest group above it that has one. */
function Applying({ group, policies, isAlone }: Policies & { readonly isAlone: boolean }) {
  const { can } = useAccess();
  const name = useShellName(group);
  const nearest = pathOf(group)
    .map((uid) => policies.find((one) => one.uid === uid))
    .findLast((one) => one !== undefined);
  if (nearest === undefined) {
    const isSure = can("registry.settings.list", rootOf(group));
    if (!isSure) return <Empty title={words.unknown}>{words.unknownText}</Empty>;
    const create = `wharf retention create --parent ${name} --keep 'recent:newest=20,pushed=90' --announce-days 7`;
    return (
      <Empty title={isAlone ? words.none : words.noneHere} action={<Code text={create} />}>
        {words.noneText}
      </Empty>
    );
  }
  const { uid = "", description, keep = [], untaggedDays, announceDays, restoreDays = 7 } = nearest;
  return (
    <section aria-labelledby="policy">
      <div className="panel-head">
        <h2 id="policy">{words.policy}</h2>
        <ShowCommand
          cli={`wharf retention describe ${uid}\nwharf retention update ${uid} --help`}
        />
      </div>
      <Facts
        facts={{
          [words.from]: <Scope uid={uid} />,
          [words.description]: description,
          [words.keep]: <Rules rules={keep} />,
          [words.untagged]: words.untaggedAfter(untaggedDays ?? 0),
          [words.announce]: words.announced(announceDays ?? 0),
          [words.restore]: words.restorable(restoreDays),
        }}
      />
    </section>
  );
}

function Below({ group, policies }: Policies) {
  const others = policies.filter(({ uid }) => uid !== group);
  if (others.length === 0) return null;
  const facts = others.map(({ uid = "", keep = [] }) => (
    <li key={uid}>
      <Scope uid={uid} /> <Rules rules={keep} />
    </li>
  ));
  return (
    <section aria-labelledby="below">
      <h2 id="below">{words.below}</h2>
      <ul className="panel">{facts}</ul>
    </section>
  );
}

function Rules({ rules }: { readonly rules: readonly RetentionRuleJson[] }) {
  if (rules.length === 0) return words.keepAll;
  return (
    <ul>
      {rules.map((rule) => (
        <li key={rule.name}>{words.rule(rule.name ?? "", conditionsOf(rule))}</li>
      ))}
    </ul>
  );
}

function conditionsOf(rule: RetentionRuleJson): string[] {
  const { tags = [], newest = 0, pushedWithinDays = 0, pulledWithinDays = 0 } = rule;
  const { pulledBy = [], notPulledBy = [] } = rule;
  return [
    tags.length === 0 ? words.allTags : tags.join(" "),
    newest > 0 && words.newest(newest),
    pushedWithinDays > 0 && words.pushed(pushedWithinDays),
    pulledWithinDays > 0 && words.pulled(pulledWithinDays),
    pulledBy.length > 0 && words.by(pulledBy.length),
    notPulledBy.length > 0 && words.notBy(notPulledBy.length),
    rule.deployed === true && words.deployed,
  ].filter((one) => one !== false);
}
