import type { TokenSource, WhoAmI } from "@wharf/client";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { unauthenticated } from "../errors.ts";
import { type Column, timeText } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import type { Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { claimsOf } from "./claims.ts";
import type { statusDefinition } from "./commands.ts";
import { sourceOf, tokenSource } from "./source.ts";
import { organizationsOf } from "./who.ts";

/** A login as it is shown. */
interface Row {
  /** Whether commands use it. */
  readonly current: boolean;
  readonly issuer: string;
  readonly identity: string;
  readonly email: string;
  readonly audiences: readonly string[];
  readonly expires: string;
  readonly renews: boolean;
  /** `good`, `ended`, or why that cannot be told. */
  readonly state: string;
  /** Spelled as in released output: scripts read this key of `-o json`. */
  readonly organisations?: readonly string[];
  readonly capabilities?: WhoAmI["capabilities"];
}

const COLUMNS: readonly Column<Row>[] = [
  { header: "Used", value: ({ current }) => (current ? "*" : "") },
  { header: "Server", value: ({ issuer }) => issuer },
  { header: "Who", value: ({ email, identity }) => email || identity },
  { header: "State", value: ({ state }) => state },
  { header: "Until", value: ({ expires, renews }) => `${expires}${renews ? ", renews" : ""}` },
  { header: "Organizations", value: ({ organisations }) => organisations },
  { header: "Identity", value: ({ identity }) => identity, wide: true },
  { header: "Audiences", value: ({ audiences }) => audiences, wide: true },
];

export const run: Run<typeof statusDefinition> = async (context, { quick }) => {
  const { settings, environment, err, out } = context;
  const logins = Logins.of(environment, err.warn);
  const variable = environment.WHARF_TOKEN?.trim();
  const check = (row: Row, api: string, source: TokenSource) =>
    quick ? row : asked(context, row, api, source);
  const kept = logins.all().map(({ login, current }) => {
    const used = current && login.issuer === settings.issuer && !variable;
    return check(
      rowOf(login, used),
      login.api,
      sourceOf(() => login, logins, err),
    );
  });
  const own = variable
    ? [check(variableRow(variable), settings.api, tokenSource(settings, environment))]
    : [];
  const rows = await context.progress("asking", () => Promise.all([...own, ...kept]));
  await out.list(rows, COLUMNS, { what: "logins", id: ({ identity }) => identity });
  const used = rows.find(({ current }) => current);
  if (used === undefined) throw unauthenticated(`you are not logged in to ${settings.issuer}`);
  if (used.state === "ended") throw unauthenticated(`your login to ${settings.issuer} has ended`);
};

function rowOf({ issuer, identity, email = "", renewal, tokens }: Login, current: boolean): Row {
  const ends = Math.max(0, ...Object.values(tokens).map(({ expires }) => expires));
  const renews = renewal.kind !== "none";
  const state = renews || ends > Date.now() ? "good" : "ended";
  const expires = timeText(ends);
  const audiences = Object.keys(tokens);
  return { current, issuer, identity, email, audiences, expires, renews, state };
}

function variableRow(token: string): Row {
  const { iss = "", sub = "", email = "", aud = [], exp = 0 } = claimsOf(token);
  return {
    current: true,
    issuer: iss || "WHARF_TOKEN",
    identity: sub,
    email,
    audiences: [aud].flat(),
    expires: timeText(exp * 1000),
    renews: false,
    state: exp * 1000 > Date.now() ? "good" : "ended",
  };
}

/** The row with what the server says of it. */
async function asked(
  { err, signal }: Context,
  row: Row,
  api: string,
  source: TokenSource,
): Promise<Row> {
  try {
    const { clientOf } = await import("./client-of.ts");
    const { auth } = clientOf({ api, issuer: row.issuer }, source, err);
    const who = await auth.validate({}, { signal });
    return { ...row, organisations: organizationsOf(who), capabilities: who.capabilities };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = problemOf(thrown);
    return { ...row, state: code === "UNAUTHENTICATED" ? "ended" : message };
  }
}
