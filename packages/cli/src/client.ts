import {
  create,
  fromJson,
  type JsonObject,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import {
  CreateGroupRequestSchema,
  type Group,
  GroupSchema,
  type ListGroupsRequestSchema,
  type ListGroupsResponse,
  ListGroupsResponseSchema,
} from "@wharf/contract";
import type { TokenSource } from "./auth/source.ts";

/**
 * SEAM: the part of `createWharf` of @wharf/client that commands use, with its names and shapes,
 * spoken over REST. `connect` is to call that; the rest of this file then goes.
 */

export type { Group };

interface CallOptions {
  readonly signal?: AbortSignal;
}

type ListGroups = Omit<MessageInitShape<typeof ListGroupsRequestSchema>, "$typeName">;
type GroupInit = Omit<MessageInitShape<typeof GroupSchema>, "$typeName">;

export interface Wharf {
  readonly groups: {
    list(request?: ListGroups, options?: CallOptions): Promise<ListGroupsResponse>;
    listAll(request?: ListGroups, options?: CallOptions): AsyncGenerator<Group, void, undefined>;
    get(request: { uid: string }, options?: CallOptions): Promise<Group>;
    create(request: { parent?: string; group: GroupInit }, options?: CallOptions): Promise<Group>;
    update(
      request: { group: GroupInit; updateMask?: readonly string[] },
      options?: CallOptions,
    ): Promise<Group>;
    delete(request: { uid: string }, options?: CallOptions): Promise<unknown>;
  };
}

export interface ConnectOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly token: TokenSource;
  readonly userAgent: string;
  onRequest(sent: { method: string; url: string; status: number; ms: number }): void;
}

/**
 * @example const { groups } = connect({ baseUrl, authUrl, token, userAgent, onRequest });
 */
export function connect(options: ConnectOptions): Wharf {
  const call = callerOf(options);
  const path = (uid: string | undefined) => `/iam/v2beta1/groups${uid ? `/${uid}` : ""}`;
  const group = async (json: Promise<JsonObject>) => fromJson(GroupSchema, await json);
  const list: Wharf["groups"]["list"] = async ({ uidp = {}, ...others } = {}, options) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(others)) query.set(name, String(value));
    for (const [name, value] of Object.entries(uidp)) query.set(`uidp.${name}`, String(value));
    return fromJson(ListGroupsResponseSchema, await call("GET", `${path("")}?${query}`, options));
  };
  return {
    groups: {
      list,
      async *listAll(request = {}, options) {
        let pageToken = "";
        do {
          const page = await list({ pageSize: 200, ...request, pageToken }, options);
          yield* page.groups;
          pageToken = page.nextPageToken;
        } while (pageToken);
      },
      get: ({ uid }, options) => group(call("GET", path(uid), options)),
      create: ({ parent, group: init }, options) =>
        group(call("POST", path(parent), options, bodyOf(init))),
      update: ({ group: init, updateMask = Object.keys(init) }, options) => {
        const mask = updateMask.filter((name) => name !== "uid").join(",");
        return group(call("PATCH", `${path(init.uid)}?updateMask=${mask}`, options, bodyOf(init)));
      },
      delete: ({ uid }, options) => call("DELETE", path(uid), options),
    },
  };
}

function bodyOf(init: GroupInit): unknown {
  const { group } = create(CreateGroupRequestSchema, { group: init });
  return group && toJson(GroupSchema, group);
}

function callerOf({ baseUrl, token, userAgent, onRequest }: ConnectOptions) {
  return async (
    method: string,
    path: string,
    options: CallOptions = {},
    body?: unknown,
  ): Promise<JsonObject> => {
    const url = `${baseUrl}${path}`;
    const headers = {
      authorization: `Bearer ${(await token.get({ audience: baseUrl })).token}`,
      "user-agent": userAgent,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const begun = performance.now();
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url, { method, headers, ...options, ...sent }).catch((cause) => {
      options.signal?.throwIfAborted();
      const reason = cause.cause?.message || cause.cause?.code || cause.message;
      throw new WharfError("UNAVAILABLE", `${baseUrl} cannot be reached: ${reason}`, []);
    });
    const text = await response.text();
    onRequest({ method, url, status: response.status, ms: performance.now() - begun });
    if (!response.ok) throw errorOf(response.status, text);
    return text === "" ? {} : JSON.parse(text);
  };
}

class WharfError extends Error {
  override readonly name = "WharfError";
  readonly code: string;
  readonly fieldViolations: readonly { field: string; description: string }[];

  constructor(code: string, message: string, fieldViolations: WharfError["fieldViolations"]) {
    super(message);
    this.code = code;
    this.fieldViolations = fieldViolations;
  }
}

const CODES: Readonly<Record<number, string>> = {
  3: "INVALID_ARGUMENT",
  5: "NOT_FOUND",
  6: "ALREADY_EXISTS",
  7: "PERMISSION_DENIED",
  8: "RESOURCE_EXHAUSTED",
  9: "FAILED_PRECONDITION",
  10: "ABORTED",
  14: "UNAVAILABLE",
  16: "UNAUTHENTICATED",
};

function errorOf(status: number, text: string): WharfError {
  try {
    const { code, message, details = [] } = JSON.parse(text);
    // biome-ignore lint/suspicious/noExplicitAny: details are of any kind.
    const violations = details.flatMap((detail: any) => detail.fieldViolations ?? []);
    return new WharfError(CODES[code] ?? "UNKNOWN", message, violations);
  } catch {
    return new WharfError("UNKNOWN", `the server answered ${status}, but not as our API does`, []);
  }
}
