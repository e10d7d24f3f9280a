import { randomBytes } from "node:crypto";

const VALID_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Unique per process; the counter is unique within the process. Neither is secret. */
const prefix = randomBytes(6).toString("hex");
let count = 0;

/** The ID of a request: the client's `X-Request-Id` if it is short and plain, else a new one. */
export function requestIdFrom(header: string | string[] | undefined): string {
  if (typeof header === "string" && VALID_ID.test(header)) return header;
  count += 1;
  return `${prefix}-${count}`;
}
