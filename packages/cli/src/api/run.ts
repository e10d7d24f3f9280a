import type { TokenSource } from "@wharf/client";
import { errorOf, isSuccess, overNode, unreachable } from "@wharf/client/node/http";
import { tokenSource } from "../auth/source.ts";
import type { Run } from "../command/types.ts";
import { type Context, DRY_RUN_HEADERS } from "../context.ts";
import { usageError } from "../errors.ts";
import { readPairs } from "../resource/values.ts";
import { version } from "../version.ts";
import { type apiDefinition, METHODS } from "./commands.ts";

type Json = Record<string, unknown>;

export const run: Run<typeof apiDefinition> = async (context, args) => {
  const method = args.method.toUpperCase();
  if (!(METHODS as readonly string[]).includes(method))
    throw usageError(`METHOD must be one of ${METHODS.join(", ")}, not ${args.method}`);
  const url = URL.parse(args.path, context.settings.api);
  // The token is for this server only.
  if (!args.path.startsWith("/") || url?.origin !== new URL(context.settings.api).origin)
    throw usageError(`PATH must begin with one slash, not "${args.path}"`);
  const fields = Object.entries(readPairs("--field", args.field));
  const hasQuery = method === "GET" || method === "DELETE";
  if (args.paginate && method !== "GET") throw usageError("--paginate is for GET only");
  if (args.input !== undefined && (hasQuery || fields.length > 0))
    throw usageError("--input is for requests with a body, without --field");
  if (hasQuery) for (const [name, text] of fields) url.searchParams.append(name, text);
  const body = hasQuery ? undefined : (args.input ?? JSON.stringify(nested(fields)));
  const tokens = tokenSource(context.settings, context.environment, context.err);
  const response = await send(context, tokens, method, url, body);
  const whole = args.paginate ? await allPages(context, tokens, url, response) : response;
  context.out.json(whole);
};

async function send(
  context: Context,
  tokens: TokenSource,
  method: string,
  url: URL,
  body: string | undefined,
): Promise<Json> {
  const { settings, signal, err } = context;
  const { token } = await tokens.get({ audience: settings.api, signal });
  const headers = {
    authorization: `Bearer ${token}`,
    "user-agent": `wharf/${version()}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(settings.dryRun && DRY_RUN_HEADERS),
  };
  const response = await overNode({
    method,
    url: url.href,
    headers,
    body,
    signal,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw unreachable(settings.api, cause);
  });
  const text = await response.text();
  err.detail(`${method} ${url.href} → ${response.status} (Authorization: Bearer ****)`);
  if (!isSuccess(response)) throw errorOf(response, text);
  try {
    return JSON.parse(text || "{}") as Json;
  } catch {
    throw usageError(`${url.pathname} does not return JSON`, "use curl for it");
  }
}

/** Adds the items of all later pages to the lists of the first. */
async function allPages(
  context: Context,
  tokens: TokenSource,
  url: URL,
  first: Json,
): Promise<Json> {
  const whole = { ...first };
  let next = first.nextPageToken;
  while (typeof next === "string" && next !== "") {
    url.searchParams.set("page_token", next);
    const page = await send(context, tokens, "GET", url, undefined);
    for (const [name, value] of Object.entries(page)) {
      const known = whole[name];
      if (Array.isArray(value)) whole[name] = [...(Array.isArray(known) ? known : []), ...value];
    }
    next = page.nextPageToken;
  }
  delete whole.nextPageToken;
  return whole;
}

/** Fields with dots in their names as objects: `group.name=a` is `{ group: { name: "a" } }`. */
function nested(fields: readonly (readonly [string, string])[]): Json {
  const root: Json = {};
  for (const [path, text] of fields) {
    const names = path.split(".");
    const leaf = names.pop() as string;
    let holder = root;
    for (const name of names) {
      const inner = Object.hasOwn(holder, name) ? holder[name] : undefined;
      const next = typeof inner === "object" && inner !== null ? (inner as Json) : {};
      Object.defineProperty(holder, name, { value: next, enumerable: true, configurable: true });
      holder = next;
    }
    Object.defineProperty(holder, leaf, { value: text, enumerable: true, configurable: true });
  }
  return root;
}
