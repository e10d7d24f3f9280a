import { HttpBrowser } from "../../support/browser/http-browser.ts";
import { HeadlessClient, OAuthClient } from "../../support/client/tokens.ts";
import type { StandInIssuer } from "../../support/providers/issuer.ts";
import { roleNamed } from "../../support/world/world.ts";
import type { Recorder } from "../recorder.ts";

/** Sign-in, sessions, and exchanges of tokens. */
export async function login(record: Recorder, issuer: StandInIssuer): Promise<void> {
  const tokens = await signIn(record);
  const token = tokens.access_token;
  await record.call("userinfo", { token });
  await record.call("userinfoPost", { token });
  await record.call("organizationCheck", { query: { name: "acme.example" }, token: "" });
  await record.call("deviceAuthorization", { form: { client_id: "tv" }, token: "" });
  const me = await record.body("Auth_Validate", { token });
  await record.call("SessionsService_GetCredentials", { token });
  await headless(record);
  const { sessions } = await record.body("SessionsService_ListSessions", { token });
  const other = sessions.find((one: { current: boolean }) => !one.current);
  await record.call("SessionsService_EndSession", { path: other.id, token });
  await exchanges(record, tokens.refresh_token, issuer);
  await record.call("SessionsService_Logout", {
    body: {},
    token: (await record.world.login.logIn("bob")).access_token,
  });
  await record.call("Auth_Delete", { path: me.subject, token });
}

/** Signs a person in with an application, and redeems the code. */
async function signIn(record: Recorder) {
  const { login, server } = record.world;
  const app = await OAuthClient.start(server.url);
  try {
    const url = app.loginUrl({ idp_id: login.provider, scope: "openid" });
    const page = await login.signIn(new HttpBrowser(), url, "ada", app.redirectUri);
    const form = {
      grant_type: "authorization_code",
      client_id: "wharf",
      code: new URL(page.url).searchParams.get("code") ?? "",
      code_verifier: app.verifier,
      redirect_uri: app.redirectUri,
    };
    return await record.body("token", { form, token: "" });
  } finally {
    app.stop();
  }
}

async function headless(record: Recorder): Promise<void> {
  const { login, server } = record.world;
  const tool = new HeadlessClient();
  const query = new URLSearchParams({ headless_code: tool.code, idp_id: login.provider });
  const browser = new HttpBrowser();
  const page = await login.signIn(browser, `${server.url}/oauth?${query}`, "ada");
  await browser.submit(page, { decision: "allow" });
  await record.call("Auth_GetHeadlessSession", { query: { code: tool.code }, token: "" });
}

async function exchanges(
  record: Recorder,
  refreshToken: string,
  issuer: StandInIssuer,
): Promise<void> {
  const { world } = record;
  const { organization } = world.login;
  const api = world.operator();
  const subject = "repo:acme/app:ref:refs/heads/main";
  const { uid: identity } = await api.identities.create(organization, {
    name: "deploy",
    claimMatch: { issuer: issuer.url, subject },
  });
  await world.bind(organization, identity, "viewer");
  const aud = world.server.url;
  const signed = () => issuer.sign({ sub: subject, aud: new URL(aud).hostname });
  const token = await signed();
  await record.call("IdentitiesService_TestIdentity", { path: identity, body: { token } });
  await record.call("SecurityTokenService_Exchange", { query: { aud, identity }, token });
  await record.call("SecurityTokenService_Exchange_Post", {
    form: { aud: [aud], identity, cap: ["repo.list"] },
    token: await signed(),
  });
  await record.call("SecurityTokenService_ExchangeRefreshToken", {
    form: { aud: [aud] },
    token: refreshToken,
  });
  const found = { issuer: issuer.url, subject };
  const person = await issuer.sign({ sub: "dev", aud: new URL(aud).hostname });
  const { code } = await api.groupInvites.create(organization, {
    roleUid: roleNamed("viewer"),
    ttl: "3600s",
  });
  await record.call("Auth_Register", { body: { code }, token: person });
  for (const operation of ["IdentitiesService_LookupIdentity", "V1_Identities_Lookup"])
    await record.call(operation, { query: { ...found, subject: "dev" } });
}
