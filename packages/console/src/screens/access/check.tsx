import { Link } from "@tanstack/react-router";
import type { AccessGrantJson } from "@wharf/contract/messages";
import { ALL_CAPABILITIES, type CapabilityKey, capabilityName } from "../../api/capabilities.ts";
import { api, useRead } from "../../api/client.ts";
import { screenLink, useListSearch } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";
import { sentence } from "../../texts/sentence.ts";
import { Failed, Loading } from "../../ui/feedback.tsx";
import { Picker } from "../../ui/picker.tsx";
import { useIdentityChoices } from "../../ui/pickers.tsx";
import { Origin } from "./origin.tsx";
import { nameOf } from "./who.tsx";

/** Answers "can they do that here?", and why. The question is in the URL. */
export function Check({ group }: { readonly group: string }) {
  const [{ can, who }, setSearch] = useListSearch();
  const asked = keyOf(String(can ?? ""));
  return (
    <div className="stack">
      <form
        className="filters check-access"
        aria-label={accessTexts.check}
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          setSearch({ can: String(data.get("can")), who: String(data.get("who")) });
        }}
      >
        <Picker
          label={accessTexts.checkWho}
          name="who"
          isRequired={false}
          useChoices={useIdentityChoices}
        />
        <Picker
          label={accessTexts.checkWhat}
          name="can"
          useChoices={useCapabilityChoices}
          {...(asked && { initial: { value: String(can), label: String(can) } })}
        />
        <button type="submit" className="button">
          {accessTexts.check}
        </button>
      </form>
      {asked !== undefined && (
        <Answer group={group} capability={asked} identity={String(who ?? "")} />
      )}
    </div>
  );
}

function keyOf(name: string): CapabilityKey | undefined {
  return ALL_CAPABILITIES.find((key) => capabilityName(key) === name);
}

/** Capabilities by any part of their name: there are only some hundred. */
export function useCapabilityChoices(text: string) {
  return ALL_CAPABILITIES.map(capabilityName)
    .filter((name) => name.includes(text.toLowerCase()))
    .sort()
    .map((name) => ({ value: name, label: name }));
}

function Answer({
  group,
  capability,
  identity,
}: {
  readonly group: string;
  readonly capability: CapabilityKey;
  readonly identity: string;
}) {
  const { data, error } = useRead(api.access.check, {
    resource: group,
    capability,
    ...(identity && { identity }),
  });
  if (error !== null) return <Failed error={error} />;
  if (data === undefined) return <Loading />;
  const { allowed = false, reason = "", grants = [], remedy } = data;
  return (
    <section className="answer" aria-label={accessTexts.answer} aria-live="polite">
      <p>
        <span className={allowed ? "badge good" : "badge bad"}>
          {allowed ? accessTexts.allowed : accessTexts.denied}
        </span>{" "}
        {sentence(reason)}
      </p>
      {grants.length > 0 && (
        <ul className="reasons">
          {grants.map((grant) => (
            <Reason key={grant.uid} grant={grant} group={group} />
          ))}
        </ul>
      )}
      {data.hiddenGrant && <p className="soft">{accessTexts.hiddenGrant}</p>}
      {data.token?.downScoped && <p className="soft">{accessTexts.downScoped}</p>}
      {remedy && (
        <>
          {remedy.roles && remedy.roles.length > 0 && (
            <p>
              {accessTexts.rolesThatHelp}{" "}
              {remedy.roles.map((role, at) => (
                <span key={role.uid}>
                  {at > 0 && ", "}
                  <Link {...screenLink("roles", group)} search={{ role: role.uid } as never}>
                    {role.name}
                  </Link>
                </span>
              ))}
            </p>
          )}
          {remedy.grantors && remedy.grantors.length > 0 && (
            <p>
              {accessTexts.whoCanGrant} {remedy.grantors.map(nameOf).join(", ")}
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Reason({ grant, group }: { readonly grant: AccessGrantJson; readonly group: string }) {
  return (
    <li>
      {grant.role?.uid ? (
        <Link {...screenLink("roles", group)} search={{ role: grant.role.uid } as never}>
          {grant.role.name}
        </Link>
      ) : (
        accessTexts.unnamed
      )}
      , <Origin grant={grant} group={group} />
    </li>
  );
}
