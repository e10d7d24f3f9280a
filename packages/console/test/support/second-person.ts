import { builtinRole } from "@wharf/contract";
import type { WatchedPage } from "../../../server/test/support/browser/browser.ts";
import type { ConsoleSite } from "./site.ts";

/** Someone else, in a browser of her own. */
export interface Person extends WatchedPage {
  /** The uid of her identity. */
  readonly uid: string;
  /** Her access token, to send requests that the console does not offer. */
  readonly token: string;
}

/** Invites a person with a role to a group, and signs her in at a screen. */
export async function secondPerson(
  site: ConsoleSite,
  group: string,
  { role = "viewer", name = "bob", screen = "organizations" } = {},
): Promise<Person> {
  const { http, accounts } = site.world;
  const roleUid = builtinRole(role)?.uid;
  const invite = { roleUid, ttl: "3600s", singleUse: true };
  const { body } = await http.post(`/iam/v2beta1/groupInvites/${group}`, invite);
  const link = `${accounts.url}/oauth?invite=${encodeURIComponent(body.code)}`;
  const watched = await site.join(link, name);
  await watched.page.goto(site.at(screen));
  await watched.page.getByRole("heading", { level: 1 }).waitFor();
  const session = `fetch("/console/session/token", { method: "POST" }).then((one) => one.json())`;
  const { accessToken, identity } = (await watched.page.evaluate(session)) as Record<
    string,
    string
  >;
  return { ...watched, uid: identity ?? "", token: accessToken ?? "" };
}
