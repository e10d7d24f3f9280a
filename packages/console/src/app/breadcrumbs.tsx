import { Link } from "@tanstack/react-router";
import { useGroupNames } from "../api/group-names.ts";
import { texts } from "../texts/common.ts";
import { Icon } from "../ui/icons.tsx";
import { isGroupScreen, pathOf, screenLink, useScreenLocation } from "./location.ts";

/** A group above the current one is not the current one. */
const EXACT = { exact: true, includeSearch: false };

/** The way from the organization to a group; each step leads to the same screen there. */
export function Breadcrumbs({ uid }: { readonly uid: string }) {
  const { screen } = useScreenLocation();
  const path = pathOf(uid);
  const { nameOf } = useGroupNames([uid]);
  return (
    <nav className="crumbs" aria-label={texts.shell.path}>
      <ol>
        <li>
          <Link to="/organizations">{texts.screens.organizations}</Link>
        </li>
        {path.map((at) => (
          <li key={at}>
            <Icon name="chevron" />
            <Link
              {...screenLink(isGroupScreen(screen) ? screen : "folders", at)}
              search={{}}
              activeOptions={EXACT}
              {...(at === uid && { "aria-current": "location" as const })}
            >
              {nameOf(at)}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The name of a group; the end of its uid until it is known. */
export function useGroupName(uid: string): string {
  return useGroupNames([uid]).nameOf(uid);
}
