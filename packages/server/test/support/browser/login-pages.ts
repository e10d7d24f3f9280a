import { accountPage } from "../../../src/login/pages/account.ts";
import { confirmDevicePage, deviceCodePage, invitePage } from "../../../src/login/pages/consent.ts";
import { newAccountPage, resetPage, setupPage } from "../../../src/login/pages/enroll.ts";
import { donePage, errorPage, welcomePage } from "../../../src/login/pages/messages.ts";
import { signInPage } from "../../../src/login/pages/sign-in.ts";

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
  const organization = from("acme.example");
  return new Map([
    [
      "/choose",
      signInPage({
        login,
        organization,
        providers: [
          { uid: from("uid-1"), name: from("Keycloak"), organization },
          { uid: "uid-2", name: "Entra ID", organization: "A rather long name of an organization" },
        ],
        localAccounts: true,
        passkeySite,
        username,
        invite: { group, role },
      }),
    ],
    [
      "/choose-error",
      signInPage({ login, error, providers: [], localAccounts: true, passkeySite }),
    ],
    ["/choose-organization", signInPage({ login, providers: [], localAccounts: false })],
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
    ["/welcome-first", welcomePage({ firstRun: true, api: from("http://127.0.0.1:8080") })],
    ["/welcome-again", welcomePage({ firstRun: false, api: from("http://127.0.0.1:8080") })],
    [
      "/my-account",
      accountPage({
        form: login,
        done: "password",
        name: username,
        identity: from("c5dd09ce22430637b0bf91e8abe3946f89eedd72"),
        local: {
          hasPassword: true,
          passkeys: ["a", "b"].map((credentialId) => ({
            credentialId: from(credentialId),
            name: from("Chrome on Linux"),
            created: 1_800_000_000_000,
            used: 1_800_000_000_000,
          })),
          passkeySite,
        },
        sessions: ["1", "2"].map((id) => ({
          id: from(id),
          userAgent: from("wharf/0.1.0"),
          remoteAddress: from("2001:db8::7"),
          created: 1_800_000_000_000,
          used: 1_800_000_000_000,
        })),
        hasMoreSessions: true,
      }),
    ],
    [
      "/my-account-error",
      accountPage({
        form: login,
        error,
        name: username,
        identity: from("c5dd09ce"),
        provider: from("Keycloak"),
        local: { hasPassword: false, passkeys: [], passkeySite },
        sessions: [],
        hasMoreSessions: false,
      }),
    ],
    ["/setup-first", setupPage({ passkeySite })],
    [
      "/setup-error",
      setupPage({ error, passkeySite, values: { code: from("a-code"), organization, username } }),
    ],
    ["/account", newAccountPage({ login, error, passkeySite, values: { username }, group, role })],
    ["/reset-first", resetPage({ passkeySite })],
    ["/reset-error", resetPage({ error, passkeySite, values: { code: from("a-code") } })],
    ["/done", donePage({ title: from("Done"), text: from("Go back."), detail: from("Really.") })],
    [
      "/error",
      errorPage({ title: from("No"), text: error, requestId: from("id-1"), retry: from("/again") }),
    ],
  ]);
}
