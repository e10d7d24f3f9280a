import type { IdentityProviderJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { providerTexts } from "../../texts/providers.ts";
import { CopyButton } from "../../ui/code.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Facts } from "../../ui/facts.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Age } from "../../ui/time.tsx";
import { Withheld } from "../../ui/withheld.tsx";

const words = providerTexts.scim;

const WITHOUT_TOKEN: ReadonlySet<string> = new Set([
  "CREDENTIAL_STATE_UNSPECIFIED",
  "CREDENTIAL_STATE_NOT_ISSUED",
]);

/** Provisioning by SCIM: its state, its token, and the switch. */
export function Provisioning({ provider }: { readonly provider: IdentityProviderJson }) {
  const { uid = "", scim = {} } = provider;
  const { can } = useAccess();
  const [token, setToken] = useState<string>();
  const state = String(scim.credentialState ?? "CREDENTIAL_STATE_UNSPECIFIED");
  return (
    <>
      <p className="lead">{words.lead}</p>
      {token !== undefined && (
        <ShownOnce
          title={words.shown}
          text={words.shownText}
          secret={token}
          done={words.done}
          onDone={() => setToken(undefined)}
        />
      )}
      <Facts
        facts={{
          [words.provisioning]: (
            <span className={scim.enabled ? "badge good" : "badge quiet"}>
              {scim.enabled ? words.on : words.off}
            </span>
          ),
          [words.token]: words.states[state] ?? state,
          [words.expires]: scim.tokenExpireTime && <Age time={scim.tokenExpireTime} />,
          [words.previousExpires]: scim.previousTokenExpireTime && (
            <Age time={scim.previousTokenExpireTime} />
          ),
          [words.endpoint]: scim.endpointUrl && (
            <span className="line">
              <code>{scim.endpointUrl}</code>
              <CopyButton text={scim.endpointUrl} />
            </span>
          ),
        }}
      />
      <div className="actions">
        {can("identity_providers.scim.manage", uid) ? (
          <>
            {WITHOUT_TOKEN.has(state) ? (
              <Generate uid={uid} onToken={setToken} />
            ) : (
              <>
                <Rotate uid={uid} etag={scim.etag ?? ""} onToken={setToken} />
                <Revoke uid={uid} />
              </>
            )}
            <Switch uid={uid} etag={scim.etag ?? ""} isOn={scim.enabled ?? false} />
          </>
        ) : (
          <Withheld label={words.generate} capability="identity_providers.scim.manage" />
        )}
      </div>
    </>
  );
}

interface TokenProps {
  readonly uid: string;
  readonly onToken: (token: string) => void;
}

function Generate({ uid, onToken }: TokenProps) {
  return (
    <ConfirmDialog
      change={useChange(api.identityProviders.generateScimToken)}
      request={{ identityProviderUid: uid }}
      submit={words.generate}
      isDangerous={false}
      className="button"
      onDone={({ token = "" }) => onToken(token)}
    >
      <p>{words.generateText}</p>
    </ConfirmDialog>
  );
}

function Rotate({ uid, etag, onToken }: TokenProps & { readonly etag: string }) {
  return (
    <ConfirmDialog
      change={useChange(api.identityProviders.regenerateScimToken)}
      request={{ identityProviderUid: uid, etag }}
      submit={words.rotate}
      isDangerous={false}
      className="button"
      onDone={({ token = "" }) => onToken(token)}
    >
      <p>{words.rotateText}</p>
    </ConfirmDialog>
  );
}

function Revoke({ uid }: { readonly uid: string }) {
  return (
    <ConfirmDialog
      change={useChange(api.identityProviders.revokeScimToken)}
      request={{ identityProviderUid: uid }}
      title={words.revokeTitle}
      submit={words.revoke}
      message={words.revoked}
    >
      <p>{words.revokeText}</p>
    </ConfirmDialog>
  );
}

function Switch({
  uid,
  etag,
  isOn,
}: {
  readonly uid: string;
  readonly etag: string;
  readonly isOn: boolean;
}) {
  return (
    <ConfirmDialog
      change={useChange(api.identityProviders.setScimEnabled)}
      request={{ identityProviderUid: uid, enabled: !isOn, etag }}
      title={isOn ? words.disableTitle : words.enableTitle}
      submit={isOn ? words.disable : words.enable}
      isDangerous={false}
      message={words.changed}
    >
      <p>{isOn ? words.disableText : words.enableText}</p>
    </ConfirmDialog>
  );
}
