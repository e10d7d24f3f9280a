import { Link } from "@tanstack/react-router";
import { useGroupNames } from "../api/group-names.ts";
import { screenLink } from "../app/location.ts";
import type { GroupScreenName } from "../app/screens.ts";

/** The names of a group and those above it; a link where a screen is given. */
export function GroupPath({
  uid,
  screen,
}: {
  readonly uid: string;
  readonly screen?: GroupScreenName;
}) {
  const { pathTo } = useGroupNames([uid]);
  if (screen === undefined) return pathTo(uid);
  return <Link {...screenLink(screen, uid)}>{pathTo(uid)}</Link>;
}
