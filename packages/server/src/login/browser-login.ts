import { WharfError } from "../lib/errors.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";
import { browserDigest, htmlAnswer, markBrowser, readForm, redirectTo } from "./browser.ts";
import { passkeySite } from "./local/passkey-site.ts";
import {
  callOf,
  checkAudiences,
  keepLogin,
  type Login,
  type LoginDeps,
  redeemLogin,
  resumeLogin,
  sealLogin,
  siteOf,
} from "./login.ts";
import { loopbackAlias } from "./loopback-alias.ts";
import { deliver, deliverError } from "./oauth/deliver.ts";
import { answerDevice } from "./oauth/device.ts";
import { readLoginRequest } from "./oauth/request.ts";
import { pageEndpoint } from "./page-endpoint.ts";
import { ORGANIZATION_FIELD } from "./pages/components.ts";
import { continuePage, donePage } from "./pages/messages.ts";
import { signInPage } from "./pages/sign-in.ts";
import { admit } from "./providers/admission.ts";
import {
  onlyProvider,
  providersFor,
  type ShownProvider,
  shownProviders,
} from "./providers/choose.ts";
import { CALLBACK_PATH } from "./providers/provider-login.ts";
import { afterSignIn, decideOnInvite, inviteOf, promiseOf, type SignedIn } from "./steps.ts";

/** The pages of a login, from `/oauth` to where it ends. */
export function browserLoginEndpoints(deps: LoginDeps): HttpEndpoint[] {
  return [
    pageEndpoint("GET", "/oauth", (request) => begin(deps, request)),
    pageEndpoint("POST", "/oauth/provider", (request) => chooseProvider(deps, request)),
    pageEndpoint("GET", CALLBACK_PATH, (request) => comeBack(deps, request)),
    pageEndpoint("POST", "/oauth/accept", (request) => decide(deps, request)),
    pageEndpoint("POST", "/oauth/confirm", (request) => confirm(deps, request)),
  ];
}

/** The first request: says what is wanted, and ties the login to this browser. */
async function begin(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const query = new URLSearchParams(http.query);
  const request = readLoginRequest(query);
  checkAudiences(deps, request.audiences);
  if (request.invite !== "") await inviteOf(deps, request.invite, Date.now());
  const { login, headers } = newLogin(deps, http, request);
  if (request.provider === "") return choose(deps, login, {}, headers);
  const providers = await providersFor(deps.engine, request.provider);
  if (providers.length > 1) return choose(deps, login, { providers }, headers);
  const provider = await onlyProvider(deps.engine, request.provider);
  return redirectTo(await upstreamUrl(deps, http, login, provider.uid), headers);
}

/** A login of this browser, and the header that marks the browser if it is new. */
export function newLogin(
  { addresses }: LoginDeps,
  http: HttpRequest,
  request: Login["request"],
): { login: Login; headers: Record<string, string> } {
  const { cookie, headers } = markBrowser(http, addresses().authUrl);
  return { login: { request, browser: browserDigest(cookie) }, headers };
}

export interface ChooseOptions {
  readonly error?: string;
  readonly organization?: string;
  readonly username?: string;
  readonly providers?: readonly { readonly uid: string; readonly name: string }[];
}

/** Asks how to sign in. */
export async function choose(
  deps: LoginDeps,
  login: Login,
  { providers, ...shown }: ChooseOptions,
  headers: Record<string, string> = {},
): Promise<HttpResponse> {
  const { engine } = deps;
  const now = Date.now();
  const { invite: keyId } = login.request;
  const invite = keyId === "" ? undefined : await inviteOf(deps, keyId, now);
  const ticket = await keepLogin(deps, login, now);
  const given = providers?.map(
    (one): ShownProvider => ({ uid: one.uid, name: one.name, organization: "" }),
  );
  const body = signInPage({
    login: ticket,
    ...shown,
    providers: given ?? (await shownProviders(engine)),
    localAccounts: deps.settings.localAccounts,
    passkeySite: passkeySite(deps.addresses().authUrl)?.origin,
    invite: invite && { ...(await promiseOf(deps, invite)), email: invite.email },
  });
  return htmlAnswer(shown.error === undefined ? 200 : 400, body, headers);
}

async function chooseProvider(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const login = await resumeLogin(deps, http, form.get("login"), Date.now());
  const organization = (form.get(ORGANIZATION_FIELD) ?? "").trim();
  const word = form.get("provider") ?? organization;
  const providers = await providersFor(deps.engine, word);
  const [provider] = providers;
  if (provider === undefined) {
    const error = "No verified organization with this name has an identity provider.";
    return choose(deps, login, { error, organization });
  }
  if (providers.length > 1) return choose(deps, login, { providers });
  const url = await upstreamUrl(deps, http, login, provider.uid);
  const words = {
    title: "Redirecting to your identity provider",
    text: `Continue at ${provider.name}.`,
  };
  return htmlAnswer(200, continuePage({ ...words, url }));
}

/** Where the browser goes to sign in; the login is sealed in the state that it takes along. */
async function upstreamUrl(
  deps: LoginDeps,
  http: HttpRequest,
  login: Login,
  uid: string,
): Promise<string> {
  const { engine, providers, addresses } = deps;
  const provider = await onlyProvider(engine, uid);
  const site = loopbackAlias(http, addresses().authUrl);
  return providers.begin(provider, (upstream) => {
    const away: Login = { ...login, upstream, ...(site !== undefined && { site }) };
    return sealLogin(deps, away, Date.now());
  });
}

/** The browser comes back from the provider, which sends everyone to the auth URL. */
async function comeBack(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const call = callOf(http);
  const state = new URLSearchParams(http.query).get("state") ?? "";
  const site = siteOf(deps, state, call.time);
  if (site !== undefined && site !== loopbackAlias(http, deps.addresses().authUrl)) {
    // A page, because the provider's own `form-action` may forbid a further redirect.
    const words = { title: "Signing in", text: "Returning to the address where you started." };
    return htmlAnswer(
      200,
      continuePage({ ...words, url: `${site}${CALLBACK_PATH}?${http.query}` }),
    );
  }
  const { upstream, ...login } = await resumeLogin(deps, http, state, call.time);
  try {
    if (upstream === undefined)
      throw new WharfError(
        "PERMISSION_DENIED",
        "this sign-in was not started with an identity provider",
      );
    const provider = await onlyProvider(deps.engine, upstream.provider);
    const described = await deps.providers.finish(provider, upstream, state, http.query);
    // Only now: anyone can come back with a made-up answer, and must leave nothing in the store.
    await redeemLogin(deps, http, state, call.time);
    const person = await admit(deps, call, provider, described, login.request);
    return await afterSignIn(deps, call, { ...login, person });
  } catch (thrown) {
    const error = WharfError.from(thrown);
    const told = error.code === "INTERNAL" ? undefined : deliverError(deps, login.request, error);
    if (told === undefined) throw error;
    return told;
  }
}

async function decide(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = callOf(http);
  const login = signedIn(await resumeLogin(deps, http, form.get("login"), call.time));
  return decideOnInvite(deps, call, login, form.get("decision") === "accept");
}

async function confirm(deps: LoginDeps, http: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(http);
  const call = callOf(http);
  const { request, person } = signedIn(await resumeLogin(deps, http, form.get("login"), call.time));
  if (form.get("decision") === "allow") return deliver(deps, call, request, person);
  const { delivery } = request;
  if (delivery.kind === "device") await answerDevice(deps, call, delivery.userCode, "denied");
  const text = "The device was not signed in.";
  return htmlAnswer(200, donePage({ title: "Denied", text }));
}

/** A login whose person must be known by now. */
export function signedIn(login: Login): SignedIn {
  const { person } = login;
  if (person !== undefined) return { ...login, person };
  throw new WharfError("PERMISSION_DENIED", "sign in first");
}
