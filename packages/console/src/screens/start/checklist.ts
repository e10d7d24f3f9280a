import { useAccess } from "../../api/access.ts";
import { api, useRead } from "../../api/client.ts";
import type { startTexts } from "../../texts/start.ts";

export type StepName = keyof typeof startTexts.steps;

/** The completed steps. */
export type Progress = Readonly<Record<StepName, boolean>>;

/** The state of an organization, from the API: nobody checks anything off. */
export function useProgress(uid: string): Progress | undefined {
  const { can, isKnown } = useAccess();
  const within = { uidp: { descendantsOf: uid }, pageSize: 1 };
  const providers = useRead(api.identityProviders.list, within);
  const credentials = useRead(api.sessions.getCredentials, {});
  const identities = useRead(api.identities.list, within);
  const mayListEvents = can("repo.list", uid);
  const events = (type: string) => ({ group: uid, types: [`registry.${type}.*`], pageSize: 1 });
  const pushes = useRead(api.events.list, events("push"), { enabled: mayListEvents });
  const pulls = useRead(api.events.list, events("pull"), { enabled: mayListEvents });
  const answers = [providers, credentials, identities, ...(mayListEvents ? [pushes, pulls] : [])];
  if (!isKnown || answers.some(({ isPending }) => isPending)) return undefined;
  return {
    organization: true,
    signIn:
      Number(providers.data?.totalCount ?? 0) > 0 || (credentials.data?.passkeys?.length ?? 0) > 0,
    push: (pushes.data?.events?.length ?? 0) > 0,
    workload: Number(identities.data?.totalCount ?? 0) > 0,
    pull: (pulls.data?.events?.length ?? 0) > 0,
  };
}

const key = (uid: string) => `checklist of ${uid}`;

export function isDismissed(uid: string): boolean {
  return localStorage.getItem(key(uid)) !== null;
}

export function dismiss(uid: string): void {
  localStorage.setItem(key(uid), "dismissed");
}
