import { randomBytes } from "node:crypto";

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** Tells processes apart; the count tells requests of a process apart. Neither is a secret. */
const prefix = randomBytes(6).toString("hex");
let count = 0;

/** The id a request goes by: the client's own if it is a short plain token, else a new one. */
export function requestIdFrom(given: string | string[] | undefined): string {
  if (typeof given === "string" && SANE.test(given)) return given;
  count += 1;
  return `${prefix}-${count}`;
}
