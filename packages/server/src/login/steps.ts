import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type GroupInvite, parentOf, SessionSchema } from "@wharf/contract";
import { Mutation } from "../engine/mutation.ts";
import { acceptInvite, findOpenInvite } from "../iam/group-invites.ts";
import { WharfError } from "../lib/errors.ts";
import type { Call } from "../rpc/call.ts";
import type { HttpResponse } from "../wire/endpoint.ts";
import { htmlAnswer } from "./browser.ts";
import { keepLogin, type Login, type LoginDeps } from "./login.ts";
import { deliver } from "./oauth/deliver.ts";
import { findDevice } from "./oauth/device.ts";
import { confirmDevicePage, invitePage } from "./pages/consent.ts";
import { donePage } from "./pages/messages.ts";
import { nameOf, type Person } from "./people/person.ts";
import { announce } from "./people/register.ts";

/** A login whose person is known. */
export interface SignedIn extends Login {
  readonly person: Person;
}

/**
 * What comes after a person is known: to accept their invite, to confirm the tool elsewhere, or the
 * end of the login.
 */
export async function afterSignIn(
  deps: LoginDeps,
  call: Call,
  login: SignedIn,
): Promise<HttpResponse> {
  const { request, person } = login;
  if (request.invite !== "") return askToAccept(deps, call, login);
  const { delivery } = request;
  if (delivery.kind === "device" || delivery.kind === "headless") {
    return askToConfirm(deps, call, login);
  }
  return deliver(deps, call, request, person);
}

async function askToAccept(deps: LoginDeps, call: Call, login: SignedIn): Promise<HttpResponse> {
  const invite = await inviteOf(deps, login.request.invite, call.time);
  const { group, role } = await promiseOf(deps, invite);
  const ticket = await keepLogin(deps, login, call.time);
  const props = {
    login: ticket,
    group,
    role,
    email: invite.email || undefined,
    expires: invite.expirationTime ? timestampDate(invite.expirationTime) : new Date(call.time),
    signedInAs: nameOf(login.person),
    localAccounts: false,
  };
  return htmlAnswer(200, invitePage(props));
}

/** What an invite promises, in names. */
export async function promiseOf(
  { engine }: LoginDeps,
  invite: GroupInvite,
): Promise<{ group: string; role: string }> {
  const { reader } = engine.store;
  const group = await engine.catalog.groups.find(reader, parentOf(invite.uid));
  const role = await engine.catalog.roles.find(reader, invite.roleUid);
  if (group === undefined || role === undefined) throw inviteIsOver();
  return { group: group.name, role: role.name };
}

/** The invite of a login, while it can be accepted. */
export async function inviteOf(
  { engine }: LoginDeps,
  keyId: string,
  now: number,
): Promise<GroupInvite> {
  const invite = await findOpenInvite(engine.store.reader, keyId, now);
  if (invite === undefined) throw inviteIsOver();
  return invite;
}

/** The refusal of an invite that is spent, over, or was never there. */
function inviteIsOver(): WharfError {
  return new WharfError("PERMISSION_DENIED", "the invite has expired or was already used");
}

/** Accepts the invite of a login, or leaves it. */
export async function decideOnInvite(
  deps: LoginDeps,
  call: Call,
  login: SignedIn,
  accepted: boolean,
): Promise<HttpResponse> {
  if (!accepted) {
    const text = "You have not joined. You can still accept the invite until it expires.";
    return htmlAnswer(200, donePage({ title: "Invite declined", text }));
  }
  const { engine } = deps;
  const { request, person } = login;
  await engine.store.write((tx) => {
    return joinWithInvite(
      new Mutation(call, tx, engine, { actor: person.identity }),
      request.invite,
      person,
    );
  });
  return afterJoining(deps, call, login);
}

/** What comes after a person has joined with the login's invite. */
export async function afterJoining(
  deps: LoginDeps,
  call: Call,
  login: SignedIn,
): Promise<HttpResponse> {
  const { request } = login;
  if (request.delivery.kind !== "none") {
    return afterSignIn(deps, call, { ...login, request: { ...request, invite: "" } });
  }
  const text = "You have joined. To continue, run: wharf auth login";
  return htmlAnswer(200, donePage({ title: "Invite accepted", text }));
}

/** Joins with an invite, within a change. */
export async function joinWithInvite(
  change: Mutation,
  invite: string,
  { identity, email, provider, clientId }: Person,
): Promise<void> {
  const client = clientId === undefined ? undefined : { provider, clientId };
  const group = await acceptInvite(change, invite, { identity, email, client });
  await announce(change, create(SessionSchema, { identity, group }));
}

/** Whoever was sent a link by someone else must have a chance to notice. */
async function askToConfirm(deps: LoginDeps, call: Call, login: SignedIn): Promise<HttpResponse> {
  const { delivery } = login.request;
  const signedInAs = nameOf(login.person);
  if (delivery.kind === "device") {
    const device = await findDevice(deps.engine.store.reader, delivery.userCode, call.time);
    if (device === undefined) {
      throw new WharfError("PERMISSION_DENIED", "no device is waiting with this code anymore");
    }
    const { client, address, userAgent } = device;
    const ticket = await keepLogin(deps, login, call.time);
    const shown = { code: delivery.userCode, client, address, userAgent };
    return htmlAnswer(200, confirmDevicePage({ login: ticket, signedInAs, ...shown }));
  }
  const code = delivery.kind === "headless" ? delivery.code : "";
  const ticket = await keepLogin(deps, login, call.time);
  const shown = { code, client: "a command-line tool", address: "another machine", userAgent: "-" };
  return htmlAnswer(200, confirmDevicePage({ login: ticket, signedInAs, ...shown }));
}
