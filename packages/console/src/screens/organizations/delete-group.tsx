import { Link } from "@tanstack/react-router";
import type { GroupJson } from "@wharf/contract/messages";
import { useState } from "react";
import { api, useChange } from "../../api/client.ts";
import { parentOf, screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { FormDialog } from "../../ui/form.tsx";
import { blockerOf } from "./blocker.ts";
import { BLOCKERS, CONTENTS, type Content } from "./contents.ts";
import { useCount } from "./counts.tsx";

/** Deletes an empty group; of another one, it lists the contents that must be deleted first. */
export function DeleteGroup({ group: { uid = "", name = "" } }: { readonly group: GroupJson }) {
  const remove = useChange(api.groups.delete);
  const [blocker, setBlocker] = useState<string>();
  return (
    <FormDialog
      title={folderTexts.deleteTitle(name)}
      submit={texts.delete}
      isDangerous
      className="button quiet"
      onSubmit={async () => {
        await remove.mutateAsync({ uid }).catch((error: Error) => {
          setBlocker(blockerOf(error));
          throw error;
        });
        const parent = parentOf(uid);
        return {
          message: folderTexts.deleted(name),
          open: parent === "" ? { to: "/organizations" } : screenLink("folders", parent),
        };
      }}
    >
      <p>{folderTexts.deleteText}</p>
      <Inside uid={uid} blocker={blocker} />
    </FormDialog>
  );
}

function Inside({ uid, blocker }: { readonly uid: string; readonly blocker: string | undefined }) {
  const screen = blocker === undefined ? undefined : BLOCKERS[blocker];
  return (
    <ul className="blockers">
      {(Object.keys(CONTENTS) as Content[]).map((content) => (
        <Contained key={content} content={content} uid={uid} />
      ))}
      {screen !== undefined && !Object.hasOwn(CONTENTS, screen) && (
        <li>
          <Link {...screenLink(screen, uid)}>{texts.screens[screen]}</Link>
        </li>
      )}
    </ul>
  );
}

function Contained({ content, uid }: { readonly content: Content; readonly uid: string }) {
  const count = useCount(content, { childrenOf: uid });
  if (!count) return null;
  return (
    <li>
      <Link {...screenLink(content, uid)}>{folderTexts.contains[content](count)}</Link>
    </li>
  );
}
