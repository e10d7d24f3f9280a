import { hash } from "node:crypto";
import { tooMany, WharfError } from "../../lib/errors.ts";
import { clientNetwork } from "../../lib/net/client-network.ts";
import type { Call } from "../../rpc/call.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  addTicket,
  consumeTicket,
  countTickets,
  lockTicket,
  readTicket,
  rewriteTicket,
} from "../../store/tables/login/tickets.ts";
import { newSecret } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";
import { newUserCode } from "./user-code.ts";

/** A device that waits for a person to sign it in. */
export interface PendingDevice {
  /** The digest of the secret part of the device code. */
  readonly secretDigest: string;
  /** The name that the device chooses, as pages display it. */
  readonly client: string;
  /** The client that its ID token is for. */
  readonly clientId?: string;
  readonly address: string;
  readonly userAgent: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** The minimum seconds between polls, and the time of the last poll. */
  readonly interval: number;
  readonly asked: number;
  readonly outcome: "pending" | "denied" | { readonly person: Person };
}

const PURPOSE = "device";

/** As long as existing clients wait. */
export const DEVICE_SECONDS = 900;

/** The poll interval, and how much it grows with each poll that is too early. */
const INTERVAL_SECONDS = 5;
const SLOW_DOWN_SECONDS = 5;

/** Retry delay while too many devices wait: people sign in within minutes. */
const FULL_RETRY_SECONDS = 60;

/**
 * Bounds pending devices: anyone can add one, and each takes a row. Few enough that guessing one of
 * their user codes is infeasible.
 */
export const MAX_PENDING_DEVICES_PER_NETWORK = 100;
export const MAX_PENDING_DEVICES = 20_000;

/**
 * Starts a device authorization: the person enters the user code, the device keeps the device code.
 */
export async function startDeviceAuthorization(
  tx: Transaction,
  device: Pick<
    PendingDevice,
    "client" | "clientId" | "address" | "userAgent" | "audiences" | "scopes"
  >,
  now: number,
): Promise<{ deviceCode: string; userCode: string; interval: number }> {
  const network = clientNetwork(device.address);
  await checkPendingDevices(tx, network, now);
  const userCode = newUserCode();
  const secret = newSecret();
  const payload: PendingDevice = {
    ...device,
    secretDigest: hash("sha256", secret, "hex"),
    interval: INTERVAL_SECONDS,
    asked: 0,
    outcome: "pending",
  };
  const expires = now + DEVICE_SECONDS * 1000;
  const ticket = { purpose: PURPOSE, secret: userCode, payload, expires, identity: "", network };
  // User codes are short, so another device may have the same one.
  if (!(await addTicket(tx, ticket))) return startDeviceAuthorization(tx, device, now);
  return { deviceCode: `${userCode}.${secret}`, userCode, interval: INTERVAL_SECONDS };
}

async function checkPendingDevices(reader: Reader, network: string, now: number): Promise<void> {
  const full =
    (await countTickets(reader, network, now)) >= MAX_PENDING_DEVICES_PER_NETWORK ||
    (await countTickets(reader, undefined, now)) >= MAX_PENDING_DEVICES;
  if (!full) return;
  const text = "too many devices are waiting to be signed in: try again in a few minutes";
  throw tooMany(text, FULL_RETRY_SECONDS);
}

/** The pending device with a user code. */
export async function findDevice(
  reader: Reader,
  userCode: string,
  now: number,
): Promise<PendingDevice | undefined> {
  const device = await readTicket<PendingDevice>(reader, PURPOSE, userCode, now);
  return device?.outcome === "pending" ? device : undefined;
}

/** Signs a device in as a person. */
export function approveDevice(
  deps: LoginDeps,
  call: Call,
  userCode: string,
  person: Person,
): Promise<void> {
  return decideDevice(deps, call, userCode, { person });
}

/** Decides on a pending device. The first decision is final. */
export async function decideDevice(
  { store }: LoginDeps,
  { time }: Call,
  userCode: string,
  outcome: PendingDevice["outcome"],
): Promise<void> {
  await store.write(async (tx) => {
    const device = await lockTicket<PendingDevice>(tx, PURPOSE, userCode, time);
    if (device?.outcome !== "pending") {
      throw new WharfError("PERMISSION_DENIED", "no device is waiting with this code anymore");
    }
    const payload: PendingDevice = { ...device, outcome };
    const { identity, provider } =
      typeof outcome === "object" ? outcome.person : { identity: "", provider: "" };
    await rewriteTicket(tx, { purpose: PURPOSE, secret: userCode, payload, identity, provider });
  });
}

export type DevicePollResult =
  | { readonly error: DevicePollError }
  | { readonly device: PendingDevice; readonly person: Person };

type DevicePollError =
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_grant";

/** Handles a poll of a device, by the client that started it if it names itself. The result is delivered once. */
export async function pollDevice(
  tx: Transaction,
  deviceCode: string,
  client: string,
  now: number,
): Promise<DevicePollResult> {
  const [userCode = "", secret = ""] = deviceCode.split(".");
  const device = await lockTicket<PendingDevice>(tx, PURPOSE, userCode, now);
  if (device === undefined || hash("sha256", secret, "hex") !== device.secretDigest) {
    return { error: "expired_token" };
  }
  if (client !== "" && client !== (device.clientId ?? client)) return { error: "invalid_grant" };
  if (device.outcome === "pending") {
    const tooSoon = now - device.asked < device.interval * 1000;
    const interval = tooSoon ? device.interval + SLOW_DOWN_SECONDS : device.interval;
    const payload: PendingDevice = { ...device, asked: now, interval };
    await rewriteTicket(tx, { purpose: PURPOSE, secret: userCode, payload, identity: "" });
    return { error: tooSoon ? "slow_down" : "authorization_pending" };
  }
  const taken = await consumeTicket(tx, PURPOSE, userCode, now);
  if (taken === undefined) return { error: "expired_token" };
  if (device.outcome === "denied") return { error: "access_denied" };
  return { device, person: device.outcome.person };
}
