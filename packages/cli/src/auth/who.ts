import type { WhoAmI } from "@wharf/client";

/** The organizations that someone holds something at, each with the role or how much it is. */
export function organizationsOf({ capabilities }: WhoAmI): string[] {
  const places = capabilities.map(({ group, role, capabilities: held }) => {
    const what = role?.name ?? `${held.length} capabilities`;
    return { uid: group?.id ?? "", text: `${group?.name || "everywhere"} (${what})` };
  });
  const folders = places.filter(({ uid }) => uid.includes("/")).length;
  return [
    ...places.filter(({ uid }) => !uid.includes("/")).map(({ text }) => text),
    ...(folders === 0 ? [] : [`${folders} folder${folders === 1 ? "" : "s"}`]),
  ];
}

/** What someone is called: their address, or else their uid. */
export function nameOf({
  email,
  identity,
}: {
  email?: string | undefined;
  identity: string;
}): string {
  return email ? `${email} (${identity})` : identity;
}
