import type { IdentityJson } from "@wharf/contract/messages";
import { identityTexts } from "../../texts/identities.ts";
import { Age } from "../../ui/time.tsx";
import { isUnused } from "./trust.ts";

/** The last use of an identity, and whether it is usable. */
export function LastSeen({ identity }: { readonly identity: IdentityJson }) {
  const { lastSeenTime, staticKeys } = identity;
  const expires = Date.parse(staticKeys?.expirationTime ?? "");
  return (
    <span className="badges">
      {isUnused(identity) ? (
        <span className="badge quiet">{identityTexts.neverUsed}</span>
      ) : (
        <Age time={lastSeenTime} />
      )}
      {expires <= Date.now() && <span className="badge bad">{identityTexts.expired}</span>}
    </span>
  );
}
