import { api, useRead } from "../api/client.ts";
import { Uid } from "./uid.tsx";

const IDENTITY = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

/** The name of an identity, its uid if the caller cannot see it, or an imported text. */
export function IdentityName({ id }: { readonly id: string }) {
  const isUid = IDENTITY.test(id);
  const { data } = useRead(
    api.identities.list,
    { uidp: { ids: [id] }, pageSize: 1 },
    { enabled: isUid },
  );
  const [identity] = data?.identities ?? [];
  if (!isUid) return id;
  return identity?.name ?? <Uid uid={id} />;
}
