import { newAccountPage, resetPage, setupPage } from "../../src/login/pages/account.ts";
import { choosePage } from "../../src/login/pages/choose.ts";
import { confirmDevicePage, deviceCodePage } from "../../src/login/pages/device.ts";
import { invitePage } from "../../src/login/pages/invite.ts";
import { donePage, errorPage } from "../../src/login/pages/outcome.ts";

/** The ticket in the forms of the samples. */
export const TICKET = "ticket-1";

/**
 * Each page with everything on it, by path. `from` writes the texts that come from outside.
 *
 * @example samplePages(site.url, (text) => `<b>${text}</b>`)
 */
export function samplePages(
  passkeySite: string,
  from: (text: string) => string = (text) => text,
): Map<string, string> {
  const login = from(TICKET);
  const group = from("acme");
  const role = from("viewer");
  const error = from("Something was not right.");
  const username = from("ada");
  const organisation = from("acme.example");
  return new Map([
    [
      "/choose",
      choosePage({
        login,
        organisation,
        providers: [
          { uid: from("uid-1"), name: from("Keycloak"), organisation },
          { uid: "uid-2", name: "Entra ID", organisation: "A rather long name of an organisation" },
        ],
        localAccounts: true,
        passkeySite,
        username,
        invite: { group, role },
      }),
    ],
    [
      "/choose-error",
      choosePage({ login, error, providers: [], localAccounts: true, passkeySite }),
    ],
    ["/choose-organisation", choosePage({ login, providers: [], localAccounts: false })],
    [
      "/invite",
      invitePage({
        login,
        group,
        role,
        email: from("ada@acme.example"),
        expires: new Date("2030-01-02T03:04:05Z"),
        signedInAs: username,
        localAccounts: true,
      }),
    ],
    ["/device-code", deviceCodePage({ login })],
    ["/device-code-error", deviceCodePage({ login, error, userCode: from("BCDFGHJK") })],
    [
      "/confirm",
      confirmDevicePage({
        login,
        signedInAs: username,
        code: from("BCDFGHJK"),
        client: from("wharf"),
        address: from("2001:db8::7"),
        userAgent: from(`wharf/1.0 ${"x".repeat(300)}`),
      }),
    ],
    ["/setup-first", setupPage({ passkeySite })],
    [
      "/setup-error",
      setupPage({ error, passkeySite, values: { code: from("a-code"), organisation, username } }),
    ],
    ["/account", newAccountPage({ login, error, passkeySite, values: { username }, group, role })],
    ["/reset-first", resetPage({ passkeySite })],
    ["/reset-error", resetPage({ error, passkeySite, values: { code: from("a-code") } })],
    ["/done", donePage({ title: from("Done"), text: from("Go back."), detail: from("Really.") })],
    [
      "/error",
      errorPage({ title: from("No"), text: error, reference: from("id-1"), retry: from("/again") }),
    ],
  ]);
}
