import { Link } from "@tanstack/react-router";
import { useGroupName } from "../app/breadcrumbs.tsx";
import { screenLink } from "../app/place.ts";
import type { PlaceScreenName } from "../app/screens.ts";

/** The name of a group, which leads to a screen of it. */
export function GroupName({
  uid,
  screen,
}: {
  readonly uid: string;
  readonly screen: PlaceScreenName;
}) {
  return <Link {...screenLink(screen, uid)}>{useGroupName(uid)}</Link>;
}
