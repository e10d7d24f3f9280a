import { Link } from "@tanstack/react-router";
import { api, useRead } from "../api/client.ts";
import { texts } from "../texts/common.ts";
import { Icon } from "../ui/icons.tsx";
import { isPlaceScreen, pathOf, screenLink, usePlace } from "./place.ts";

/** The way from the organization to a place; each step leads to the same screen there. */
export function Breadcrumbs({ uid }: { readonly uid: string }) {
  const { screen } = usePlace();
  const path = pathOf(uid);
  const { data } = useRead(api.groups.list, { uidp: { ids: path }, pageSize: path.length });
  const names = new Map(data?.groups?.map((group) => [group.uid, group.name]));
  return (
    <nav className="crumbs" aria-label={texts.shell.place}>
      <ol>
        <li>
          <Link to="/organizations">{texts.screens.organizations}</Link>
        </li>
        {path.map((at) => (
          <li key={at}>
            <Icon name="chevron" />
            <Link
              {...screenLink(isPlaceScreen(screen) ? screen : "folders", at)}
              search={{}}
              {...(at === uid && { "aria-current": "location" as const })}
            >
              {names.get(at) ?? shortUid(at)}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The end of a uid, where the name may not be read. */
function shortUid(uid: string): string {
  return `…${uid.slice(-6)}`;
}

/** The name of a group; the end of its uid until it is known. */
export function useGroupName(uid: string): string {
  const { data } = useRead(api.groups.get, { uid });
  return data?.name ?? shortUid(uid);
}
