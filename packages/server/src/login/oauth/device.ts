import { hash } from "node:crypto";
import { clientNetwork } from "../../lib/client-network.ts";
import { WharfError } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import {
  countTickets,
  holdTicket,
  putTicket,
  readTicket,
  rewriteTicket,
  takeTicket,
} from "../../store/tables/tickets.ts";
import { newSecret } from "../browser.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";
import { newUserCode } from "./user-code.ts";

/** A tool on another machine that waits for a person to sign it in. */
export interface WaitingDevice {
  /** What the tool shows that it is the one that waits. */
  readonly secretDigest: string;
  readonly client: string;
  readonly address: string;
  readonly userAgent: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  /** How many seconds it must leave between questions, and when it asked last. */
  readonly interval: number;
  readonly asked: number;
  readonly outcome: "pending" | "denied" | { readonly person: Person };
}

const PURPOSE = "device";

/** As long as existing tools wait. */
export const DEVICE_SECONDS = 900;

/** How often a tool may ask, and how much less often once it has asked too often. */
const INTERVAL = 5;
const SLOWER = 5;

/**
 * Tools that may wait at the same time: anyone can let one wait, and each has a row. All together are
 * few enough that guessing one of their codes stays hopeless.
 */
export const MAX_PENDING_DEVICES_PER_NETWORK = 100;
export const MAX_PENDING_DEVICES = 20_000;

/** Lets a tool wait; the person types the user code, the tool keeps the device code. */
export async function startDeviceAuthorization(
  tx: Transaction,
  device: Pick<WaitingDevice, "client" | "address" | "userAgent" | "audiences" | "scopes">,
  now: number,
): Promise<{ deviceCode: string; userCode: string; interval: number }> {
  const network = clientNetwork(device.address);
  await checkRoom(tx, network, now);
  const userCode = newUserCode();
  const secret = newSecret();
  const payload: WaitingDevice = {
    ...device,
    secretDigest: hash("sha256", secret, "hex"),
    interval: INTERVAL,
    asked: 0,
    outcome: "pending",
  };
  const expires = now + DEVICE_SECONDS * 1000;
  const ticket = { purpose: PURPOSE, secret: userCode, payload, expires, identity: "", network };
  // The code is short: another may wait with it.
  if (!(await putTicket(tx, ticket))) return startDeviceAuthorization(tx, device, now);
  return { deviceCode: `${userCode}.${secret}`, userCode, interval: INTERVAL };
}

async function checkRoom(reader: Reader, network: string, now: number): Promise<void> {
  const full =
    (await countTickets(reader, network, now)) >= MAX_PENDING_DEVICES_PER_NETWORK ||
    (await countTickets(reader, undefined, now)) >= MAX_PENDING_DEVICES;
  if (!full) return;
  const text = "too many devices are waiting to be signed in: try again in a few minutes";
  throw new WharfError("RESOURCE_EXHAUSTED", text);
}

/** The device that waits with a user code, while nobody has answered it. */
export async function findDevice(
  reader: Reader,
  userCode: string,
  now: number,
): Promise<WaitingDevice | undefined> {
  const device = await readTicket<WaitingDevice>(reader, PURPOSE, userCode, now);
  return device?.outcome === "pending" ? device : undefined;
}

/** Signs a device in as a person. */
export function approveDevice(
  deps: LoginDeps,
  call: Call,
  userCode: string,
  person: Person,
): Promise<void> {
  return answerDevice(deps, call, userCode, { person });
}

/** Answers a device that waits: once, whatever the answer. */
export async function answerDevice(
  { engine }: LoginDeps,
  { time }: Call,
  userCode: string,
  outcome: WaitingDevice["outcome"],
): Promise<void> {
  await engine.store.write(async (tx) => {
    const device = await holdTicket<WaitingDevice>(tx, PURPOSE, userCode, time);
    if (device?.outcome !== "pending") {
      throw new WharfError("PERMISSION_DENIED", "no device is waiting with this code anymore");
    }
    const payload: WaitingDevice = { ...device, outcome };
    const { identity, provider } =
      typeof outcome === "object" ? outcome.person : { identity: "", provider: "" };
    await rewriteTicket(tx, { purpose: PURPOSE, secret: userCode, payload, identity, provider });
  });
}

/** What a device that asks is told. */
export type DeviceAnswer =
  | { readonly error: "authorization_pending" | "slow_down" | "access_denied" | "expired_token" }
  | { readonly device: WaitingDevice; readonly person: Person };

/** Answers a device that asks whether it has been signed in. It gets its answer once. */
export async function askForDevice(
  tx: Transaction,
  deviceCode: string,
  now: number,
): Promise<DeviceAnswer> {
  const [userCode = "", secret = ""] = deviceCode.split(".");
  const device = await holdTicket<WaitingDevice>(tx, PURPOSE, userCode, now);
  if (device === undefined || hash("sha256", secret, "hex") !== device.secretDigest) {
    return { error: "expired_token" };
  }
  if (device.outcome === "pending") {
    const tooSoon = now - device.asked < device.interval * 1000;
    const interval = tooSoon ? device.interval + SLOWER : device.interval;
    const payload: WaitingDevice = { ...device, asked: now, interval };
    await rewriteTicket(tx, { purpose: PURPOSE, secret: userCode, payload, identity: "" });
    return { error: tooSoon ? "slow_down" : "authorization_pending" };
  }
  const taken = await takeTicket(tx, PURPOSE, userCode, now);
  if (taken === undefined) return { error: "expired_token" };
  if (device.outcome === "denied") return { error: "access_denied" };
  return { device, person: device.outcome.person };
}
