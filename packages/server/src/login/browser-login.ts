import { WharfError } from "../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import {
  browserDigest,
  ensureBrowserCookie,
  htmlResponse,
  readForm,
  redirectTo,
} from "./browser.ts";
import { BrowserCall } from "./endpoint-call.ts";
import { passkeySite } from "./local/passkeys.ts";
import { isFirstRun } from "./local/setup.ts";
import {
  checkAudiences,
  type Login,
  type LoginDeps,
  redeemLogin,
  resumeLogin,
  returnOriginOf,
  saveLogin,
  sealLogin,
} from "./login.ts";
import { loopbackAlias } from "./loopback-alias.ts";
import { readClientId } from "./oauth/client-id.ts";
import { decideDevice } from "./oauth/device.ts";
import { finishLogin, finishLoginWithError } from "./oauth/finish-login.ts";
import { parseLoginRequest } from "./oauth/request.ts";
import { pageEndpoint } from "./page-endpoint.ts";
import { ORGANIZATION_FIELD } from "./pages/components.ts";
import { continuePage, donePage, TO_START } from "./pages/messages.ts";
import { signInPage } from "./pages/sign-in.ts";
import { testedSignInPage } from "./pages/tested-sign-in.ts";
import { admitPerson } from "./providers/admission.ts";
import { providersFor, requireProvider, type ShownProvider } from "./providers/find-provider.ts";
import { CALLBACK_PATH, type Upstream } from "./providers/provider-login.ts";
import { signInWays } from "./sign-in-ways.ts";
import {
  afterSignIn,
  decideOnInvite,
  inviteOfferOf,
  requireInvite,
  type SignedInLogin,
} from "./steps.ts";

/** The pages of a browser sign-in, from `/oauth` to its end. */
export function browserLoginEndpoints(deps: LoginDeps): HttpEndpoint[] {
  return [
    pageEndpoint("GET", "/oauth", (request) => startLogin(deps, request)),
    pageEndpoint("POST", "/oauth/provider", (request) => chooseProvider(deps, request)),
    pageEndpoint("GET", CALLBACK_PATH, (request) => handleCallback(deps, request)),
    pageEndpoint("POST", "/oauth/accept", (request) => decideInvite(deps, request)),
    pageEndpoint("POST", "/oauth/confirm", (request) => confirmDevice(deps, request)),
  ];
}

/** Starts a sign-in and binds it to this browser. */
async function startLogin(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(http.query);
  const request = parseLoginRequest(query);
  readClientId(deps, query);
  checkAudiences(deps, request.audiences);
  if (request.invite !== "") await requireInvite(deps, request.invite, Date.now());
  const { login, headers } = newLogin(deps, http, request);
  if (request.provider === "") return showSignIn(deps, login, {}, headers);
  const providers = await providersFor(deps, request.provider);
  if (providers.length > 1) return showSignIn(deps, login, { providers }, headers);
  const provider = await requireProvider(deps, request.provider);
  return redirectTo(await upstreamUrl(deps, http, login, provider.uid), headers);
}

/** A new login of this browser, and the headers that set its cookie if it has none. */
export function newLogin(
  { addresses }: LoginDeps,
  http: HttpRequest,
  request: Login["request"],
): { login: Login; headers: Record<string, string> } {
  const { cookie, headers } = ensureBrowserCookie(http, addresses().authUrl);
  return { login: { request, browser: browserDigest(cookie) }, headers };
}

export interface SignInOptions {
  readonly error?: string;
  /** The reason for a sign-in that the user did not request. */
  readonly notice?: string;
  readonly organization?: string;
  readonly username?: string;
  readonly providers?: readonly { readonly uid: string; readonly name: string }[];
}

/** Shows the sign-in page. */
export async function showSignIn(
  deps: LoginDeps,
  login: Login,
  { providers, ...shown }: SignInOptions,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const now = Date.now();
  const { invite: keyId } = login.request;
  const invite = keyId === "" ? undefined : await requireInvite(deps, keyId, now);
  const ticket = await saveLogin(deps, login, now);
  const listed = providers?.map(
    (one): ShownProvider => ({ uid: one.uid, name: one.name, organization: "" }),
  );
  const { localAccounts } = deps.settings;
  const ways = await signInWays(deps);
  const body = signInPage({
    login: ticket,
    ...shown,
    ...ways,
    ...(listed && { providers: listed }),
    firstRun: await isFirstRun(deps, deps.store.reader),
    passkeySite: passkeySite(deps.addresses().authUrl)?.origin,
    invite: invite && {
      ...(await inviteOfferOf(deps, invite)),
      newAccount: localAccounts && invite.email === "",
    },
  });
  return htmlResponse(shown.error === undefined ? 200 : 400, body, headers);
}

async function chooseProvider(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const login = await resumeLogin(deps, http, form.get("login"), Date.now());
  const organization = (form.get(ORGANIZATION_FIELD) ?? "").trim();
  const selector = form.get("provider") ?? organization;
  const providers = await providersFor(deps, selector);
  const [provider] = providers;
  if (provider === undefined) {
    const error = "No verified organization with this name has an identity provider.";
    return showSignIn(deps, login, { error, organization });
  }
  if (providers.length > 1) return showSignIn(deps, login, { providers });
  const url = await upstreamUrl(deps, http, login, provider.uid);
  const message = {
    title: "Redirecting to your identity provider",
    text: `Continue at ${provider.name}.`,
  };
  return htmlResponse(200, continuePage({ ...message, url }));
}

/** The authorization URL of the identity provider. Its `state` is the sealed login. */
export async function upstreamUrl(
  deps: LoginDeps,
  http: HttpRequest,
  login: Login,
  uid: string,
): Promise<string> {
  const { providers, addresses } = deps;
  const provider = await requireProvider(deps, uid);
  const site = loopbackAlias(http, addresses().authUrl);
  const stateFor = (upstream: Upstream) => {
    const away: Login = { ...login, upstream, ...(site !== undefined && { site }) };
    return sealLogin(deps, away, Date.now());
  };
  return providers.begin(provider, stateFor, isRenewal(login));
}

/** Whether the person must sign in again. */
function isRenewal({ request: { delivery } }: Login): boolean {
  return delivery.kind === "console" && delivery.renews !== "";
}

/** Handles the callback of the identity provider, which redirects every browser to the auth URL. */
async function handleCallback(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const call = new BrowserCall(http);
  const state = new URLSearchParams(http.query).get("state") ?? "";
  const site = returnOriginOf(deps, state, call.time);
  if (site !== undefined && site !== loopbackAlias(http, deps.addresses().authUrl)) {
    // A page instead of a redirect: the provider's `form-action` may forbid more redirects.
    const message = { title: "Signing in", text: "Returning to the address where you started." };
    return htmlResponse(
      200,
      continuePage({ ...message, url: `${site}${CALLBACK_PATH}?${http.query}` }),
    );
  }
  const { upstream, ...login } = await resumeLogin(deps, http, state, call.time);
  try {
    if (upstream === undefined)
      throw new WharfError(
        "PERMISSION_DENIED",
        "this sign-in was not started with an identity provider",
      );
    const provider = await requireProvider(deps, upstream.provider);
    const described = await deps.providers.finish(
      provider,
      upstream,
      state,
      http.query,
      isRenewal(login),
    );
    // Only now: anyone can send a forged callback, which must not write to the store.
    await redeemLogin(deps, http, state, call.time);
    if (login.request.delivery.kind === "test")
      return htmlResponse(200, testedSignInPage(provider.name, described));
    const person = await admitPerson(deps, call, provider, described, login.request);
    return await afterSignIn(deps, call, { ...login, person });
  } catch (thrown) {
    const error = WharfError.from(thrown);
    const failure =
      error.code === "INTERNAL" ? undefined : finishLoginWithError(deps, login.request, error);
    if (failure === undefined) throw error;
    return failure;
  }
}

async function decideInvite(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const login = requireSignedIn(await resumeLogin(deps, http, form.get("login"), call.time));
  return decideOnInvite(deps, call, login, form.get("decision") === "accept");
}

async function confirmDevice(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = new BrowserCall(http);
  const { request, person } = requireSignedIn(
    await resumeLogin(deps, http, form.get("login"), call.time),
  );
  if (form.get("decision") === "allow") return finishLogin(deps, call, request, person);
  const { delivery } = request;
  if (delivery.kind === "device") await decideDevice(deps, call, delivery.userCode, "denied");
  const text = "The device was not signed in.";
  return htmlResponse(200, donePage({ title: "Denied", text, next: TO_START, canClose: true }));
}

/** Requires that the person of a login has been authenticated. */
export function requireSignedIn(login: Login): SignedInLogin {
  const { person } = login;
  if (person !== undefined) return { ...login, person };
  throw new WharfError("PERMISSION_DENIED", "sign in first");
}
