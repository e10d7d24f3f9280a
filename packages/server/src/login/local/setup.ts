import { create } from "@bufbuild/protobuf";
import { builtinRole, GroupSchema, newRootUid, OrgStatus } from "@wharf/contract";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import type { Engine } from "../../engine/engine.ts";
import { Mutation } from "../../engine/mutation.ts";
import { bindRole } from "../../iam/group-invites.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import { readInstallation, settleInstallation } from "../../store/tables/installation.ts";
import { dropTickets, putTicket, readTicket, takeTicket } from "../../store/tables/tickets.ts";
import { newOperatorCode, readUserCode } from "../oauth/user-code.ts";
import { type Credential, createAccount, type NewAccount } from "./accounts.ts";
import { browserUrl } from "./passkey-site.ts";

/** Where the first person of an installation begins. */
export const SETUP_PATH = "/setup";

/** The purpose of setup tickets, and the name under which it is noted that setup was done. */
const SETUP = "setup";

const CODE_MS = 24 * 3_600_000;

export interface SetupDeps {
  readonly engine: Engine;
  readonly settings: Settings;
  addresses(): Addresses;
}

/** What the first person needs. */
export interface FirstRun {
  readonly url: string;
  readonly code: string;
}

/** The first organization, and the account that owns it. */
export interface FirstAccount extends NewAccount {
  readonly organization: string;
}

/**
 * A code for the first person, while there is nobody yet; undefined from then on. Whoever reads
 * what the server prints speaks for the operator.
 */
export async function createSetupCode(deps: SetupDeps, now: number): Promise<FirstRun | undefined> {
  const { engine, addresses } = deps;
  if (!(await isFirstRun(deps, engine.store.reader))) return undefined;
  const code = newOperatorCode();
  const ticket = { purpose: SETUP, secret: code, payload: {}, identity: "" };
  await engine.store.write((tx) => putTicket(tx, { ...ticket, expires: now + CODE_MS }));
  return { url: `${browserUrl(addresses().authUrl)}${SETUP_PATH}`, code };
}

/** Whether the first person is still awaited. */
export async function isFirstRun(
  { settings, engine }: SetupDeps,
  reader: Reader,
): Promise<boolean> {
  const { groups } = engine.catalog;
  if (!settings.localAccounts) return false;
  if (await groups.table.hasAny(reader, { column: "parent", value: "" })) return false;
  return (await readInstallation(reader, SETUP)) === undefined;
}

/** Refuses when there is nothing to set up any more. */
export async function mustBeFirstRun(
  deps: SetupDeps,
  reader: Reader = deps.engine.store.reader,
): Promise<void> {
  if (await isFirstRun(deps, reader)) return;
  throw new WharfError(
    "NOT_FOUND",
    "this installation is already set up: sign in, or ask its operator for an invite",
  );
}

/** Refuses a code that is not one that the server printed, without using it up. */
export async function checkSetupCode(engine: Engine, typed: string, now: number): Promise<void> {
  const { reader } = engine.store;
  if ((await readTicket(reader, SETUP, readUserCode(typed), now)) === undefined) throw wrongCode();
}

function wrongCode(): WharfError {
  const description = "the code is wrong or has expired: restart the server to get a new one";
  return new WharfError("INVALID_ARGUMENT", description);
}

/**
 * Makes the first organization, its owner and their account, and spends all codes: all of it or
 * nothing, and only once, whichever replicas are asked at the same time.
 */
export async function setUp(
  deps: SetupDeps,
  call: Call,
  typed: string,
  first: FirstAccount,
  credential: Credential,
): Promise<void> {
  const { engine, addresses } = deps;
  await engine.store.write(async (tx) => {
    await tx.takeTurn();
    await mustBeFirstRun(deps, tx);
    if ((await takeTicket(tx, SETUP, readUserCode(typed), call.time)) === undefined) {
      throw wrongCode();
    }
    await dropTickets(tx, SETUP);
    await settleInstallation(tx, SETUP, "done");
    const change = new Mutation(call, tx, engine, { actor: first.identity });
    await createAccount(change, addresses().authUrl, first, credential);
    const group = engine.catalog.groups.fromInput(
      create(GroupSchema, { name: first.organization }),
      call.time,
    );
    group.uid = newRootUid();
    group.status = OrgStatus.READY;
    // Whoever has the code speaks for the operator, who says whose names are whose.
    group.verified = true;
    await change.insert(engine.catalog.groups, group);
    await bindRole(change, group.uid, builtinRole("owner")?.uid ?? "", first.identity);
  });
}
