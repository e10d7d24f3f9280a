import assert from "node:assert/strict";
import { type Call, type HttpRequest, Refusal } from "./api-error.ts";
import { Rest } from "./http.ts";

/** The HTTP status that each canonical code travels under. */
export const STATUS: Readonly<Record<number, number>> = {
  3: 400,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  12: 501,
  13: 500,
  14: 503,
  16: 401,
};

/**
 * Makes a call over REST, as the contract's routes have it.
 *
 * @example await callOverRest(url, token, { verb: "Get", kind: GROUPS, request: { uid } });
 */
export async function callOverRest(url: string, token: string, call: Call): Promise<unknown> {
  const { method, path, body } = httpOf(call);
  const full = `/${call.kind.domain}/v2beta1/${path}`;
  const answer = await new Rest(url, token).send(method, full, body);
  if (answer.status === 200) return answer.body;
  const { code, message, details } = answer.body;
  assert.equal(answer.status, STATUS[code], `${method} ${path}: ${message}`);
  throw new Refusal(code, message, details);
}

function httpOf({ verb, kind, request }: Call): HttpRequest {
  const { collection, field } = kind;
  const { uid, parent, updateMask } = request;
  if (typeof verb === "object") {
    if (verb.rest !== undefined) return verb.rest;
    const { identityProviderUid, ...body } = request;
    const action = verb.action.charAt(0).toLowerCase() + verb.action.slice(1);
    return { method: "POST", path: `${collection}/${identityProviderUid}:${action}`, body };
  }
  switch (verb) {
    case "Get":
      return { method: "GET", path: `${collection}/${uid}` };
    case "Delete":
      return { method: "DELETE", path: `${collection}/${uid}` };
    case "List":
      return { method: "GET", path: `${collection}?${queryOf(request)}` };
    case "Create":
      return { method: "POST", path: `${collection}/${parent}`, body: request[field] };
    case "Update": {
      const { uid: of, ...body } = request[field];
      const mask = updateMask === undefined ? "" : `?${queryOf({ updateMask: updateMask.join() })}`;
      return { method: "PATCH", path: `${collection}/${of}${mask}`, body };
    }
    case "Lookup":
      return { method: "GET", path: `identities:lookupIdentity?${queryOf(request)}` };
    case "Check": {
      const { uid: of, ...body } = request;
      return { method: "POST", path: `${collection}/${of}:checkAccountAssociation`, body };
    }
    case "Test": {
      const { uid: of, ...body } = request;
      return { method: "POST", path: `${collection}/${of}:test`, body };
    }
    case "BatchCreate":
      return { method: "POST", path: `${collection}:batchCreate`, body: request };
    case "BatchDelete":
      return { method: "POST", path: `${collection}:batchDelete`, body: request };
  }
}

/**
 * Writes a request as a query: nested fields with dots, lists by repeating.
 *
 * @example queryOf({ uidp: { childrenOf: uid }, pageSize: 5 }) // "uidp.childrenOf=…&pageSize=5"
 */
export function queryOf(request: object, prefix = ""): string {
  const pairs = Object.entries(request).flatMap(([key, value]) => {
    const name = prefix + key;
    if (Array.isArray(value)) return value.map((one) => pair(name, one));
    return typeof value === "object" ? queryOf(value, `${name}.`) : pair(name, value);
  });
  return pairs.filter((text) => text !== "").join("&");
}

function pair(name: string, value: unknown): string {
  return `${name}=${encodeURIComponent(String(value))}`;
}
