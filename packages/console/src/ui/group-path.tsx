import { Link } from "@tanstack/react-router";
import { useGroupNames } from "../api/group-names.ts";
import { screenLink } from "../app/place.ts";
import type { PlaceScreenName } from "../app/screens.ts";

/** The names of a group and those above it; a link where a screen is given. */
export function GroupPath({
  uid,
  screen,
}: {
  readonly uid: string;
  readonly screen?: PlaceScreenName;
}) {
  const { pathTo } = useGroupNames([uid]);
  if (screen === undefined) return pathTo(uid);
  return <Link {...screenLink(screen, uid)}>{pathTo(uid)}</Link>;
}
