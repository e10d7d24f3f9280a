import { create } from "@bufbuild/protobuf";
import { builtinRole, GroupSchema, newRootUid, OrgStatus } from "@wharf/contract";
import type { Addresses } from "../../config/addresses.ts";
import type { Settings } from "../../config/settings.ts";
import { Mutation, type WriteDeps } from "../../engine/write/mutation.ts";
import { bindRole } from "../../iam/group-invites.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Store } from "../../store/db/store.ts";
import { initInstallation, readInstallation } from "../../store/tables/installation.ts";
import {
  addTicket,
  consumeTicket,
  deleteTickets,
  readTicket,
} from "../../store/tables/login/tickets.ts";
import { newOperatorCode, readUserCode } from "../oauth/user-code.ts";
import { type Credential, createAccount, type NewAccount } from "./accounts.ts";
import { browserUrl } from "./passkeys.ts";

/** The page where the first person sets up the installation. */
export const SETUP_PATH = "/setup";

/** The purpose of setup tickets, and the key under which it is stored that setup is done. */
const SETUP = "setup";

const CODE_TTL_MS = 24 * 3_600_000;

export interface SetupDeps extends WriteDeps {
  readonly settings: Settings;
  addresses(): Addresses;
}

/** The URL and code for the first person. */
export interface FirstRun {
  readonly url: string;
  readonly code: string;
}

/** The first organization and the account of its owner. */
export interface FirstAccount extends NewAccount {
  readonly organization: string;
}

/**
 * Creates a setup code; undefined once setup is done. The server prints the code, so its holder
 * acts for the operator.
 */
export async function createSetupCode(deps: SetupDeps, now: number): Promise<FirstRun | undefined> {
  const { store, addresses } = deps;
  if (!(await isFirstRun(deps, store.reader))) return undefined;
  const code = newOperatorCode();
  const ticket = { purpose: SETUP, secret: code, payload: {}, identity: "" };
  await store.write((tx) => addTicket(tx, { ...ticket, expires: now + CODE_TTL_MS }));
  return { url: `${browserUrl(addresses().authUrl)}${SETUP_PATH}`, code };
}

/** Whether setup is still to be done. */
export async function isFirstRun(
  { catalog, settings }: SetupDeps,
  reader: Reader,
): Promise<boolean> {
  const { groups } = catalog;
  if (!settings.localAccounts) return false;
  if (await groups.table.hasAny(reader, { column: "parent", value: "" })) return false;
  return (await readInstallation(reader, SETUP)) === undefined;
}

/** Throws NOT_FOUND once setup is done. */
export async function requireFirstRun(
  deps: SetupDeps,
  reader: Reader = deps.store.reader,
): Promise<void> {
  if (await isFirstRun(deps, reader)) return;
  throw new WharfError(
    "NOT_FOUND",
    "this installation is already set up: sign in, or ask its operator for an invite",
  );
}

/** Rejects a wrong setup code, without redeeming it. */
export async function checkSetupCode(store: Store, typed: string, now: number): Promise<void> {
  const { reader } = store;
  if ((await readTicket(reader, SETUP, readUserCode(typed), now)) === undefined) throw wrongCode();
}

function wrongCode(): WharfError {
  const description = "the code is wrong or has expired: restart the server to get a new one";
  return new WharfError("INVALID_ARGUMENT", description);
}

/**
 * Creates the first organization, its owner and their account, and invalidates all codes.
 * Everything happens in one transaction, and only once across all replicas.
 */
export async function completeSetup(
  deps: SetupDeps,
  call: Call,
  typed: string,
  first: FirstAccount,
  credential: Credential,
): Promise<void> {
  const { addresses } = deps;
  await deps.store.write(async (tx) => {
    await tx.acquireLock();
    await requireFirstRun(deps, tx);
    if ((await consumeTicket(tx, SETUP, readUserCode(typed), call.time)) === undefined) {
      throw wrongCode();
    }
    await deleteTickets(tx, SETUP);
    await initInstallation(tx, SETUP, "done");
    const change = new Mutation(call, tx, deps, { actor: first.identity });
    await createAccount(change, addresses().authUrl, first, credential);
    const group = deps.catalog.groups.fromInput(
      create(GroupSchema, { name: first.organization }),
      call.time,
    );
    group.uid = newRootUid();
    group.status = OrgStatus.READY;
    // The holder of the code acts for the operator, who verifies organizations.
    group.verified = true;
    await change.insert(deps.catalog.groups, group);
    await bindRole(change, group.uid, builtinRole("owner")?.uid ?? "", first.identity);
  });
}
