import { Link } from "@tanstack/react-router";
import type { UIDPFilterJson } from "@wharf/contract/messages";
import { useAccess } from "../../api/access.ts";
import { useRead } from "../../api/client.ts";
import { screenLink } from "../../app/location.ts";
import { texts } from "../../texts/common.ts";
import { folderTexts } from "../../texts/organizations.ts";
import { CONTENTS, type Content } from "./contents.ts";

/** The counts of a group's contents, direct and in all folders. */
export function Counts({ uid }: { readonly uid: string }) {
  const { can } = useAccess();
  const shown = (Object.keys(CONTENTS) as Content[]).filter((one) =>
    can(CONTENTS[one].capability, uid),
  );
  if (shown.length === 0) return null;
  return (
    <ul className="counts" aria-label={folderTexts.counts}>
      {shown.map((one) => (
        <Count key={one} content={one} uid={uid} />
      ))}
    </ul>
  );
}

function Count({ content, uid }: { readonly content: Content; readonly uid: string }) {
  const here = useCount(content, { childrenOf: uid });
  const below = useCount(content, { descendantsOf: uid });
  return (
    <li>
      <Link {...screenLink(content, uid)}>{texts.screens[content]}</Link>
      <span className="count">{folderTexts.here(here)}</span>
      <span className="soft">{folderTexts.below(here, below)}</span>
    </li>
  );
}

/** The number of resources in a region; undefined until it is known. */
export function useCount(content: Content, uidp: UIDPFilterJson): number | undefined {
  // The count is what is wanted: one row is the least to ask for.
  const { data } = useRead(CONTENTS[content].method, { uidp, pageSize: 1 });
  return data && Number(data.totalCount ?? 0);
}
