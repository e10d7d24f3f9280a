import { useState } from "react";
import { useListSearch, useScreenLocation } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { peopleTexts } from "../../texts/people.ts";
import { Page } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { CreateInvite } from "./create-invite.tsx";
import { Invites } from "./invites.tsx";
import { Members } from "./members.tsx";
import { PersonDetails } from "./person.tsx";

const TABS = { members: peopleTexts.members, invites: peopleTexts.invites } as const;

/** The people of an organization or folder, and who is invited; or, where the URL names one, that person. */
export function Screen() {
  const { uid } = useScreenLocation();
  const [{ person }] = useListSearch();
  const tab = useTab(TABS);
  const [link, setLink] = useState("");
  if (person !== undefined) return <PersonDetails group={uid} uid={String(person)} />;
  const command =
    tab === "invites"
      ? {
          cli: `wharf iam invites list --parent ${uid}`,
          rest: `/iam/v2beta1/groupInvites?uidp.descendants_of=${uid}`,
        }
      : {
          cli: `wharf iam role-bindings list --parent ${uid}`,
          rest: `/iam/v2beta1/roleBindings?uidp.descendants_of=${uid}&identity_kind=IDENTITY_KIND_PERSON`,
        };
  const invite = <CreateInvite parent={uid} onCreated={setLink} />;
  return (
    <Page title={texts.screens.people} group={uid} command={command} actions={invite}>
      <Tabs label={texts.screens.people} tabs={TABS} />
      {link !== "" && (
        <ShownOnce
          title={peopleTexts.link}
          text={peopleTexts.linkText}
          secret={link}
          done={peopleTexts.linkDone}
          onDone={() => setLink("")}
        />
      )}
      {tab === "invites" ? <Invites group={uid} /> : <Members group={uid} />}
    </Page>
  );
}
