import { Link } from "@tanstack/react-router";
import { useAccess } from "../api/access.ts";
import { useGroupNames } from "../api/group-names.ts";
import { texts } from "../texts/common.ts";
import { Page } from "../ui/page.tsx";
import type { GoneReason } from "./gone.ts";
import { parentOf, pathOf, screenLink } from "./location.ts";

/** Folders below that are offered. */
const MAX_BELOW = 10;

/** Replaces the screens of a group that cannot be opened, with links to those that can. */
export function MissingGroup({
  uid,
  reason,
}: {
  readonly uid: string;
  readonly reason: GoneReason;
}) {
  const { heldWithin } = useAccess();
  const above = pathOf(parentOf(uid)).filter((at) => at !== "" && heldWithin(at).includes(at));
  const below = reason === "denied" ? heldWithin(uid).slice(0, MAX_BELOW) : [];
  const { isMissing, nameOf } = useGroupNames([...above, ...below]);
  const nearest = above.findLast((at) => !isMissing(at));
  const links = [...(nearest === undefined ? [] : [nearest]), ...below];
  const visiblePath = (at: string) => {
    const readable = pathOf(at).filter((one) => one === at || !isMissing(one));
    return readable.map(nameOf).join(" / ");
  };
  const { title, text } =
    reason === "missing" ? { ...texts.notFound, text: texts.gone.missing } : texts.gone.denied;
  return (
    <Page title={title}>
      <p>{text}</p>
      <p>{texts.gone.go}</p>
      <ul className="ways">
        {links.map((at) => (
          <li key={at}>
            <Link {...screenLink("folders", at)}>{visiblePath(at)}</Link>
          </li>
        ))}
        <li>
          <Link to="/organizations">{texts.notFound.back}</Link>
        </li>
      </ul>
    </Page>
  );
}
