import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type GroupInvite, parentOf, SessionSchema } from "@wharf/contract";
import { Mutation } from "../engine/write/mutation.ts";
import { acceptInvite, findOpenInvite } from "../iam/group-invites.ts";
import { WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { HttpResponse } from "../wire/endpoint.ts";
import { htmlResponse } from "./browser.ts";
import { type Login, type LoginDeps, saveLogin } from "./login.ts";
import { findDevice } from "./oauth/device.ts";
import { finishLogin } from "./oauth/finish-login.ts";
import { confirmDevicePage, invitePage } from "./pages/consent.ts";
import { donePage, TO_CONSOLE, TO_START } from "./pages/messages.ts";
import { displayNameOf, type Person } from "./people/person.ts";
import { emitRegistration } from "./people/register.ts";

/** A login after the sign-in. */
export interface SignedInLogin extends Login {
  readonly person: Person;
}

/** The step after a sign-in: accept an invite, confirm a device, or finish the login. */
export async function afterSignIn(
  deps: LoginDeps,
  call: Call,
  login: SignedInLogin,
): Promise<HttpResponse> {
  const { request, person } = login;
  if (request.invite !== "") return askToAccept(deps, call, login);
  const { delivery } = request;
  if (delivery.kind === "device" || delivery.kind === "headless") {
    return askToConfirm(deps, call, login);
  }
  return finishLogin(deps, call, request, person);
}

async function askToAccept(
  deps: LoginDeps,
  call: Call,
  login: SignedInLogin,
): Promise<HttpResponse> {
  const invite = await requireInvite(deps, login.request.invite, call.time);
  const { group, role } = await inviteOfferOf(deps, invite);
  const ticket = await saveLogin(deps, login, call.time);
  const props = {
    login: ticket,
    group,
    role,
    email: invite.email || undefined,
    expires: invite.expirationTime ? timestampDate(invite.expirationTime) : new Date(call.time),
    signedInAs: displayNameOf(login.person),
    localAccounts: false,
  };
  return htmlResponse(200, invitePage(props));
}

/** The offer of an invite: the path of the group, since names of folders say little alone, and the role. */
export async function inviteOfferOf(
  { catalog, store }: LoginDeps,
  invite: GroupInvite,
): Promise<{ group: string; role: string }> {
  const { reader } = store;
  const names: string[] = [];
  for (let uid = parentOf(invite.uid); uid !== ""; uid = parentOf(uid)) {
    const group = await catalog.groups.find(reader, uid);
    if (group === undefined) throw inviteUnavailable();
    names.unshift(group.name);
  }
  const role = await catalog.roles.find(reader, invite.roleUid);
  if (role === undefined) throw inviteUnavailable();
  return { group: names.join(" / "), role: role.name };
}

/** The invite of a login; throws if it cannot be accepted anymore. */
export async function requireInvite(
  { store }: LoginDeps,
  keyId: string,
  now: number,
): Promise<GroupInvite> {
  const invite = await findOpenInvite(store.reader, keyId, now);
  if (invite === undefined) throw inviteUnavailable();
  return invite;
}

/** The same error for an invite that was used, has expired or does not exist. */
function inviteUnavailable(): WharfError {
  return new WharfError("PERMISSION_DENIED", "the invite has expired or was already used");
}

/** Accepts or declines the invite of a login. */
export async function decideOnInvite(
  deps: LoginDeps,
  call: Call,
  login: SignedInLogin,
  accepted: boolean,
): Promise<HttpResponse> {
  if (!accepted) {
    const text = "You have not joined. You can still accept the invite until it expires.";
    return htmlResponse(200, donePage({ title: "Invite declined", text, next: TO_START }));
  }
  const { request, person } = login;
  await deps.store.write((tx) => {
    return joinWithInvite(
      new Mutation(call, tx, deps, { actor: person.identity }),
      request.invite,
      person,
    );
  });
  return afterJoining(deps, call, login);
}

/** The step after a person has joined with the invite of the login. */
export async function afterJoining(
  deps: LoginDeps,
  call: Call,
  login: SignedInLogin,
): Promise<HttpResponse> {
  const { request } = login;
  if (request.delivery.kind !== "none") {
    return afterSignIn(deps, call, { ...login, request: { ...request, invite: "" } });
  }
  const api = deps.addresses().baseUrl;
  const text = "You have joined.";
  return htmlResponse(200, donePage({ title: "Invite accepted", text, next: TO_CONSOLE, api }));
}

/** Accepts an invite, within a mutation. */
export async function joinWithInvite(
  change: Mutation,
  invite: string,
  { identity, email, provider, clientId }: Person,
): Promise<void> {
  const client = clientId === undefined ? undefined : { provider, clientId };
  const group = await acceptInvite(change, invite, { identity, email, client });
  emitRegistration(change, create(SessionSchema, { identity, group }));
}

/** Device sign-ins need confirmation, so that people notice links that an attacker sent them. */
async function askToConfirm(
  deps: LoginDeps,
  call: Call,
  login: SignedInLogin,
): Promise<HttpResponse> {
  const { delivery } = login.request;
  const signedInAs = displayNameOf(login.person);
  if (delivery.kind === "device") {
    const device = await findDevice(deps.store.reader, delivery.userCode, call.time);
    if (device === undefined) {
      throw new WharfError("PERMISSION_DENIED", "no device is waiting with this code anymore");
    }
    const { client, address, userAgent } = device;
    const ticket = await saveLogin(deps, login, call.time);
    const shown = { code: delivery.userCode, client, address, userAgent };
    return htmlResponse(200, confirmDevicePage({ login: ticket, signedInAs, ...shown }));
  }
  const code = delivery.kind === "headless" ? delivery.code : "";
  const ticket = await saveLogin(deps, login, call.time);
  const shown = { code, client: "a command-line tool", address: "another machine", userAgent: "-" };
  return htmlResponse(200, confirmDevicePage({ login: ticket, signedInAs, ...shown }));
}
