import { api, useRead } from "../../api/client.ts";
import { Uid } from "../../ui/uid.tsx";

/** The name of a role, or its uid where it may not be read. */
export function RoleName({ uid }: { readonly uid: string }) {
  const { data } = useRead(api.roles.get, { uid }, { enabled: uid !== "" });
  return data?.name ?? <Uid uid={uid} />;
}
