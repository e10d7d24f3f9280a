import { Link } from "@tanstack/react-router";
import type { RoleBindingIdentityJson } from "@wharf/contract/messages";
import { screenLink } from "../../app/location.ts";
import { accessTexts } from "../../texts/access.ts";

/** Whose access it is; leads to everything that this identity can do. */
export function Who({
  identity,
  group,
}: {
  readonly identity: RoleBindingIdentityJson | undefined;
  /** The uid of the group on whose screen it is shown. */
  readonly group: string;
}) {
  if (identity?.uid === undefined) return accessTexts.unnamed;
  return (
    <>
      <Link {...screenLink("access", group)} search={{ identity: identity.uid } as never}>
        {nameOf(identity)}
      </Link>
      <small className="soft">{identity.subject || identity.email || kindOf(identity)}</small>
    </>
  );
}

export function nameOf(identity: RoleBindingIdentityJson | undefined): string {
  return identity?.name || identity?.email || accessTexts.unnamed;
}

/** People belong to no group. */
function kindOf({ uid = "" }: RoleBindingIdentityJson): string {
  return uid.includes("/") ? accessTexts.workload : accessTexts.person;
}
