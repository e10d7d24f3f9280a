import type { IdentityJson } from "@wharf/contract/messages";
import type { ReactNode } from "react";
import { useInstallation } from "../../api/installation.ts";
import { identityTexts } from "../../texts/identities.ts";
import { Facts } from "../../ui/facts.tsx";
import { Age } from "../../ui/time.tsx";
import type { Expected } from "./trust.ts";
import { expectedOf } from "./trust.ts";

/** The conditions under which an identity accepts a token. */
export function Accepts({ identity }: { readonly identity: IdentityJson }) {
  const { audience: defaultAudience } = useInstallation();
  const { claimMatch, staticKeys, awsIdentity } = identity;
  const { issuer, subject, audience } = expectedOf(identity);
  const facts: Readonly<Record<string, ReactNode>> = awsIdentity
    ? {
        [identityTexts.account]: <Wanted expected={issuer} />,
        [identityTexts.arn]: <Wanted expected={subject} />,
        [identityTexts.userId]: (
          <Wanted
            expected={
              awsIdentity.userId
                ? { text: awsIdentity.userId, isPattern: false }
                : { text: awsIdentity.userIdPattern ?? "", isPattern: true }
            }
          />
        ),
      }
    : {
        [identityTexts.issuer]: <Wanted expected={issuer} />,
        [identityTexts.subject]: <Wanted expected={subject} />,
        [identityTexts.audience]: audience ? (
          <Wanted expected={audience} />
        ) : (
          identityTexts.defaultAudience(defaultAudience)
        ),
        [identityTexts.claims]: claimList(claimMatch?.claims, false),
        [identityTexts.claimPatterns]: claimList(claimMatch?.claimPatterns, true),
        [identityTexts.expires]: staticKeys?.expirationTime && (
          <Age time={staticKeys.expirationTime} />
        ),
      };
  return (
    <div className="trust">
      <Facts facts={facts} />
    </div>
  );
}

/** A value, or a pattern between slashes. */
function Wanted({ expected }: { readonly expected: Expected | undefined }) {
  if (expected === undefined || expected.text === "") return "…";
  return <code>{expected.isPattern ? `/${expected.text}/` : expected.text}</code>;
}

function claimList(claims: Record<string, string> | undefined, isPattern: boolean): ReactNode {
  const entries = Object.entries(claims ?? {});
  if (entries.length === 0) return undefined;
  return (
    <ul>
      {entries.map(([name, text]) => (
        <li key={name}>
          <code>{`${name}=${isPattern ? `/${text}/` : text}`}</code>
        </li>
      ))}
    </ul>
  );
}
