import type { TokenSource, WhoAmI } from "@wharf/client";
import { OPERATOR_UID } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { DEFAULT_CONTEXT } from "../contexts/files.ts";
import { unauthenticated } from "../errors.ts";
import { type Column, timeText } from "../output/columns.ts";
import { problemOf } from "../problem.ts";
import type { Login } from "./cache/login.ts";
import { Logins } from "./cache/logins.ts";
import { claimsOf, organizationsOf } from "./claims.ts";
import type { statusDefinition } from "./commands.ts";
import { sourceOf, tokenSource } from "./source.ts";

interface Row {
  /** Whether commands use this login. */
  readonly current: boolean;
  readonly context: string;
  readonly issuer: string;
  readonly identity: string;
  readonly email: string;
  readonly audiences: readonly string[];
  readonly expires: string;
  readonly renews: boolean;
  /** `good`, `ended`, or an error message; scripts read these values of `-o json`. */
  readonly state: string;
  /** Spelled as in released output: scripts read this key of `-o json`. */
  readonly organisations?: readonly string[];
  readonly capabilities?: WhoAmI["capabilities"];
}

const STATE_TEXTS = new Map([
  ["good", "valid"],
  ["ended", "expired"],
]);

const COLUMNS: readonly Column<Row>[] = [
  { header: "Used", value: ({ current }) => (current ? "*" : "") },
  { header: "Server", value: ({ issuer }) => issuer },
  { header: "Who", value: ({ email, identity }) => email || identity, short: shortWho },
  { header: "State", value: ({ state }) => STATE_TEXTS.get(state) ?? state },
  { header: "Until", value: ({ expires, renews }) => `${expires}${renews ? ", renews" : ""}` },
  { header: "Organizations", value: ({ organisations }) => organisations },
  { header: "Identity", value: ({ identity }) => identity, wide: true },
  { header: "Audiences", value: ({ audiences }) => audiences, wide: true },
];

function shortWho({ email, identity }: Row): string {
  return email || (identity === OPERATOR_UID ? "operator" : identity);
}

const CONTEXT_COLUMN: Column<Row> = { header: "Context", value: ({ context }) => context };

export const run: Run<typeof statusDefinition> = async (context, { quick }) => {
  const { settings, environment, err, out } = context;
  const variable = environment.WHARF_TOKEN?.trim();
  const check = (row: Row, api: string, source: TokenSource) =>
    quick ? row : validated(context, row, api, source);
  const stored = Logins.ofAll(environment, err.warn).flatMap(({ context: name, logins }) =>
    logins.all().map(({ login, current }) => {
      const isOfServer = name === settings.context && login.issuer === settings.issuer;
      const source = sourceOf(() => login, logins, err);
      const row = loginRow(login, name, current && isOfServer && !variable);
      return check(row, login.api, source);
    }),
  );
  const own = variable
    ? [
        check(
          variableRow(variable, settings.context),
          settings.api,
          tokenSource(settings, environment),
        ),
      ]
    : [];
  const rows = await context.progress("checking logins", () => Promise.all([...own, ...stored]));
  const areNamed = rows.some((row) => row.context !== DEFAULT_CONTEXT);
  await out.list(rows, areNamed ? [...COLUMNS, CONTEXT_COLUMN] : COLUMNS, {
    what: "logins",
    id: ({ identity }) => identity,
  });
  const used = rows.find(({ current }) => current);
  if (used === undefined) throw unauthenticated(`you are not signed in to ${settings.issuer}`);
  if (used.state === "ended") {
    throw unauthenticated(`your login to ${settings.issuer} has expired`);
  }
};

function loginRow(login: Login, context: string, current: boolean): Row {
  const { issuer, identity, email = "", renewal, tokens } = login;
  const last = Math.max(0, ...Object.values(tokens).map(({ expires }) => expires));
  const renews = renewal.kind !== "none";
  return {
    current,
    context,
    issuer,
    identity,
    email,
    audiences: Object.keys(tokens),
    expires: timeText(last),
    renews,
    state: renews || last > Date.now() ? "good" : "ended",
  };
}

function variableRow(token: string, context: string): Row {
  const { iss = "", sub = "", email = "", aud = [], exp = 0 } = claimsOf(token);
  return {
    current: true,
    context,
    issuer: iss || "WHARF_TOKEN",
    identity: sub,
    email,
    audiences: [aud].flat(),
    expires: timeText(exp * 1000),
    renews: false,
    state: exp * 1000 > Date.now() ? "good" : "ended",
  };
}

/** Adds what the server returns for the token. */
async function validated(
  { err, signal }: Context,
  row: Row,
  api: string,
  source: TokenSource,
): Promise<Row> {
  try {
    const { clientFor } = await import("./issuer.ts");
    const { auth } = clientFor({ api, issuer: row.issuer }, source, err);
    const caller = await auth.validate({}, { signal });
    const { capabilities } = caller;
    return { ...row, organisations: organizationsOf(caller), capabilities };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = problemOf(thrown);
    return { ...row, state: code === "UNAUTHENTICATED" ? "ended" : message };
  }
}
