import {
  type AccessGrant,
  AccessGrantKind,
  AccessObstacle,
  type Capability,
  type CheckAccessResponse,
  capabilityName,
  isInternalOnly,
} from "@wharf/contract";
import type { Question } from "./decisions.ts";

/** Why access is allowed or denied, in one sentence. */
export function reasonOf(
  question: Question,
  { allowed, grants, hiddenGrant, public: isPublic, remedy }: Omit<CheckAccessResponse, "reason">,
): string {
  if (allowed) return `allowed ${allowedBy(grants, hiddenGrant)}`;
  const hint = isPublic ? `; pulls and feeds there are public` : "";
  const [obstructed] = grants;
  if (obstructed !== undefined) return `denied: ${obstacleOf(obstructed)}${hint}`;
  const { capability, resource } = question;
  const at = remedy?.groupPath || JSON.stringify(resource);
  return `denied: needs ${capabilityName(capability)} at ${at}; ${helpOf(capability, remedy)}${hint}`;
}

function allowedBy(grants: readonly AccessGrant[], isHidden: boolean): string {
  const [first, ...others] = grants.filter(
    ({ obstacle }) => obstacle === AccessObstacle.UNSPECIFIED,
  );
  if (first === undefined) return isHidden ? "by a grant that you may not read" : "";
  if (first.kind === AccessGrantKind.OPERATOR) return "for the operator, who may do everything";
  const also = others.length > 0 ? `, and by ${others.length} more` : "";
  return `by ${roleOf(first)}${also}`;
}

function roleOf({ kind, role, group, externalGroupId, inherited }: AccessGrant): string {
  const name = `the role ${role?.name || role?.uid}`;
  const through =
    kind === AccessGrantKind.GROUP_MAPPING
      ? `${name} of the external group ${JSON.stringify(externalGroupId)}`
      : name;
  return `${through} at ${group?.name || group?.uid}${inherited ? ", inherited" : ""}`;
}

function obstacleOf(grant: AccessGrant): string {
  const { obstacle, group } = grant;
  const at = group?.name || group?.uid;
  if (obstacle === AccessObstacle.TOKEN_SCOPE) {
    return `the token was issued for a scope without it; a token without a scope has it by ${roleOf(grant)}`;
  }
  if (obstacle === AccessObstacle.SIGN_IN) {
    return `${roleOf(grant)} does not count in this session: sign in through an identity provider of ${at}`;
  }
  return `${roleOf(grant)} does not count: the person is not active at the identity provider of ${at}`;
}

function helpOf(capability: Capability, remedy: CheckAccessResponse["remedy"]): string {
  if (isInternalOnly(capability)) return "it takes the operator's token";
  const [role] = remedy?.roles ?? [];
  if (role === undefined) return "no role that you may read has it";
  const owner = remedy?.groupPath ? `an owner of ${remedy.groupPath}` : "an owner";
  return `${owner} can grant the role ${role.name}`;
}
