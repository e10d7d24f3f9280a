/** Requests to everything that is no method of the contract: pages, OAuth, registries, feeds, health. */
import type { Random } from "../oracle/random.ts";
import {
  FEED_FILES,
  FORM_PAGES,
  type Form,
  JSON_ENDPOINTS,
  NOTIFICATION,
  PLAIN_GETS,
} from "./endpoint-forms.ts";
import { jsonRubbish } from "./messages.ts";
import {
  authorizationOf,
  type CallerName,
  type FuzzRequest,
  type Phase,
  percentEncoded,
  pickCaller,
  valuesFor,
} from "./request.ts";
import type { Values } from "./values.ts";
import { ODD_HEADERS } from "./words.ts";

type Drawn = Pick<FuzzRequest, "method" | "path" | "headers" | "body"> & {
  readonly caller?: CallerName;
};
type Draw = (values: Values, phase: Phase) => Drawn;

/** Kinds of endpoints with how often each is drawn. */
const KINDS: readonly (readonly [weight: number, draw: Draw])[] = [
  [8, plainGet],
  [30, formPage],
  [12, jsonEndpoint],
  [14, feed],
  [16, registryToken],
  [10, notification],
  [12, exchange],
];
const TOTAL = KINDS.reduce((sum, [weight]) => sum + weight, 0);

/**
 * A request to an endpoint.
 *
 * @example const request = endpointRequest(new Chance(7), "anonymous");
 */
export function endpointRequest(random: Random, phase: Phase): FuzzRequest {
  const caller = pickCaller(random, phase);
  const values = valuesFor(random, caller, "Group");
  let at = random.below(TOTAL);
  const [, draw] = KINDS.find(([weight]) => {
    at -= weight;
    return at < 0;
  }) as (typeof KINDS)[number];
  const drawn = draw(values, phase);
  // Limits are for one client each: most requests come from others.
  const address = `10.0.${random.below(256)}.${random.below(256)}`;
  const headers: [string, string][] = [
    ...authorizationOf(random, caller),
    ["x-forwarded-for", address],
  ];
  for (const [name, value] of drawn.headers) headers.push([name, value]);
  if (values.goesWrong()) headers.push([...random.pick(ODD_HEADERS)]);
  const verb =
    values.goesWrong() && values.oneIn(8) ? random.pick(["PUT", "HEAD", "OPTIONS"]) : drawn.method;
  return { via: "http", caller, ...drawn, method: verb, headers };
}

function plainGet(values: Values): Drawn {
  let path = values.random.pick(PLAIN_GETS);
  if (values.goesWrong())
    path += values.random.pick(["?", "?a=b", "/", "/..", "%00", "//", "?%ff"]);
  return { method: "GET", path, headers: [] };
}

function formPage(values: Values): Drawn {
  const { method, path, fields } = values.random.pick(FORM_PAGES);
  const form = formOf(values, fields);
  if (method === "GET")
    return { method, path: form === "" ? path : `${path}?${form}`, headers: [] };
  const type = "application/x-www-form-urlencoded";
  const cookie: [string, string][] = values.oneIn(3)
    ? [["cookie", `login=${percentEncoded(values.malformedText())}`]]
    : [];
  return { method, path, headers: [["content-type", type], ...cookie], body: form };
}

function jsonEndpoint(values: Values): Drawn {
  const { path, fields } = values.random.pick(JSON_ENDPOINTS);
  const body: Record<string, unknown> = {};
  for (const [name, texts] of Object.entries(fields)) {
    if (values.goesWrong()) body[name] = jsonRubbish(values, 0);
    else if (!values.oneIn(5)) body[name] = values.random.pick(texts);
  }
  const text = values.goesWrong() ? JSON.stringify(jsonRubbish(values, 0)) : JSON.stringify(body);
  return { method: "POST", path, headers: [["content-type", "application/json"]], body: text };
}

function feed(values: Values): Drawn {
  const group = values.goesWrong()
    ? values.malformedText()
    : values.random.pick([
        values.thing("group"),
        values.thing("org"),
        "own-org/team",
        "victim-org",
      ]);
  const file = values.random.pick(FEED_FILES);
  const conditional: [string, string][] = values.oneIn(4)
    ? [["if-none-match", values.random.pick(["*", '"x"', 'W/"1"', '"', ""])]]
    : [];
  return { method: "GET", path: `/feeds/${percentEncoded(group)}/${file}`, headers: conditional };
}

function registryToken(values: Values, phase: Phase): Drawn {
  const name = values.random.pick([
    "own-org/team/app",
    "victim-org/team/app",
    "own-org",
    "../x",
    "A/B",
  ]);
  const scope = values.goesWrong()
    ? values.malformedText()
    : `${values.random.pick(["repository", "registry", "x"])}:${name}:${values.random.pick(["pull", "push,pull", "*", "delete", ""])}`;
  const fields: Form = {
    service: ["registry.test", "registry.test", "other.invalid", "<own.url>"],
    scope: [scope, `${scope} ${scope}`],
    grant_type: ["password", "refresh_token", ""],
    username: ["_token", values.thing("identity"), "x"],
    password: ["<own.token>", "<own.upstream>", "x"],
    refresh_token: ["<own.token>"],
    account: ["x"],
    client_id: ["docker"],
  };
  const path = values.random.pick(["/token", "/registry/token"]);
  const form = formOf(values, fields);
  if (values.oneIn(2)) {
    const user = values.thing("identity");
    const basic = phase === "anonymous" ? `Basic ${btoa("x:y")}` : `Basic <own.basic>`;
    const shown: [string, string][] = values.oneIn(2) ? [["authorization", basic]] : [];
    return { method: "GET", path: `${path}?${form}&account=${user}`, headers: shown };
  }
  const type = "application/x-www-form-urlencoded";
  return { method: "POST", path, headers: [["content-type", type]], body: form };
}

function notification(values: Values, phase: Phase): Drawn {
  const { types, actions, paths, digests, tags, times } = NOTIFICATION;
  const pick = (texts: readonly string[]): unknown =>
    values.goesWrong() ? jsonRubbish(values, 0) : values.random.pick(texts);
  const event = () => ({
    id: `event-${values.random.below(1_000)}`,
    timestamp: pick(times),
    action: pick(actions),
    target: {
      repository: pick(paths),
      digest: pick(digests),
      tag: pick(tags),
      mediaType: pick(types),
      length: pick(["1", "9007199254740993"]),
    },
    request: { addr: "127.0.0.1:1", useragent: pick(["x"]), method: pick(["PUT", "GET"]) },
    actor: { name: pick([values.thing("identity"), ""]) },
  });
  const events = Array.from({ length: 1 + values.random.below(3) }, event);
  const json = values.oneIn(8) ? jsonRubbish(values, 0) : { events };
  const headers: [string, string][] = [["content-type", String(values.random.pick(types))]];
  if (values.oneIn(5)) headers.push(["ce-type", "zotregistry.image.updated"], ["ce-id", "x"]);
  const caller = phase === "anonymous" ? {} : ({ caller: "registry" } as const);
  return {
    method: "POST",
    path: "/registry/notifications",
    headers,
    body: JSON.stringify(json),
    ...caller,
  };
}

function exchange(values: Values): Drawn {
  const fields: Form = {
    aud: ["<own.url>", "registry.test", "x"],
    identity: [values.thing("identity"), values.anything()],
    identity_provider: [values.thing("provider")],
    scope: [values.thing("group")],
    scopes: [values.thing("group"), "own-org", "victim-org"],
    cap: ["groups.list", "repo.list", "x"],
  };
  const bearer: [string, string][] = values.oneIn(2)
    ? [["authorization", "Bearer <own.upstream>"]]
    : [];
  const path = values.random.pick([
    "/sts/exchange",
    "/sts/exchange",
    "/sts/exchange_refresh_token",
  ]);
  const method = path.endsWith("exchange") ? values.random.pick(["GET", "POST"]) : "POST";
  const form = formOf(values, fields);
  return { method, path: `${path}?${form}`, headers: bearer };
}

/** Some of the fields of a form, some twice. */
function formOf(values: Values, fields: Form): string {
  const pairs: string[] = [];
  for (const [name, texts] of Object.entries(fields)) {
    if (values.oneIn(5)) continue;
    const count = values.goesWrong() ? values.random.pick([2, 3, 120]) : 1;
    for (let left = count; left > 0; left--) {
      const text = values.goesWrong() ? values.malformedText() : values.random.pick(texts);
      pairs.push(`${name}=${percentEncoded(text)}`);
    }
  }
  return pairs.join("&").slice(0, 7_000);
}
