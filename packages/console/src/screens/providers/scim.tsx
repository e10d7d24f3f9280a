import type { IdentityProviderJson } from "@wharf/contract/messages";
import { useState } from "react";
import { useAccess } from "../../api/access.ts";
import { api, useChange } from "../../api/client.ts";
import { providerTexts } from "../../texts/providers.ts";
import { CopyButton } from "../../ui/code.tsx";
import { Facts } from "../../ui/facts.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { ShownOnce } from "../../ui/shown-once.tsx";
import { Age } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
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
  const generate = useChange(api.identityProviders.generateScimToken);
  return (
    <FormDialog
      title={words.generate}
      submit={words.generate}
      trigger={words.generate}
      onSubmit={async () => {
        const { token = "" } = await generate.mutateAsync({ identityProviderUid: uid });
        onToken(token);
      }}
    >
      <p>{words.generateText}</p>
    </FormDialog>
  );
}

function Rotate({ uid, etag, onToken }: TokenProps & { readonly etag: string }) {
  const rotate = useChange(api.identityProviders.regenerateScimToken);
  return (
    <FormDialog
      title={words.rotate}
      submit={words.rotate}
      trigger={words.rotate}
      onSubmit={async () => {
        const { token = "" } = await rotate.mutateAsync({ identityProviderUid: uid, etag });
        onToken(token);
      }}
    >
      <p>{words.rotateText}</p>
    </FormDialog>
  );
}

function Revoke({ uid }: { readonly uid: string }) {
  const revoke = useChange(api.identityProviders.revokeScimToken);
  return (
    <FormDialog
      title={words.revokeTitle}
      submit={words.revoke}
      isDangerous
      trigger={words.revoke}
      className="button quiet"
      onSubmit={async () => {
        await revoke.mutateAsync({ identityProviderUid: uid });
        toast(words.revoked);
      }}
    >
      <p>{words.revokeText}</p>
    </FormDialog>
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
  const change = useChange(api.identityProviders.setScimEnabled);
  return (
    <FormDialog
      title={isOn ? words.disableTitle : words.enableTitle}
      submit={isOn ? words.disable : words.enable}
      trigger={isOn ? words.disable : words.enable}
      className="button quiet"
      onSubmit={async () => {
        await change.mutateAsync({ identityProviderUid: uid, enabled: !isOn, etag });
        toast(words.changed);
      }}
    >
      <p>{isOn ? words.disableText : words.enableText}</p>
    </FormDialog>
  );
}
