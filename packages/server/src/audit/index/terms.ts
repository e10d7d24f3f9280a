import {
  type Posting,
  type PostingKind,
  SEGMENT_SIZE,
} from "../../store/tables/audit/audit-index.ts";
import type { AuditKeys } from "../../store/tables/audit/entries.ts";
import { encodeList } from "./positions.ts";

/** A value that filters compare. */
export type Term = readonly [kind: PostingKind, value: string];

/** The terms of an entry. Empty values are not indexed: no filter asks for them. */
export function termsOf(keys: AuditKeys): Term[] {
  const [, , resource, actor, method, code, address, requestId, session, via] = keys;
  const terms: Term[] = [
    ["actor", actor],
    ["method", method],
    ["code", String(code)],
    ["address", address],
    ["request", requestId],
    ["session", session],
    ["via", via],
  ];
  for (const at of scopesOf(resource)) terms.push(["at", at]);
  return terms.filter(([, value]) => value !== "");
}

/** A resource and its ancestors. */
function scopesOf(resource: string): string[] {
  const scopes: string[] = [];
  for (let end = resource.indexOf("/"); end > 0; end = resource.indexOf("/", end + 1)) {
    scopes.push(resource.slice(0, end));
  }
  scopes.push(resource);
  return scopes;
}

/** Whether an entry has a term. */
export function hasTerm(keys: AuditKeys, [kind, value]: Term): boolean {
  const [, , resource, actor, method, code, address, requestId, session, via] = keys;
  switch (kind) {
    case "at":
      return resource === value || resource.startsWith(`${value}/`);
    case "actor":
      return actor === value;
    case "method":
      return method === value;
    case "code":
      return String(code) === value;
    case "address":
      return address === value;
    case "request":
      return requestId === value;
    case "session":
      return session === value;
    case "via":
      return via === value;
  }
}

/** The postings of the entries of one segment, which are in the order of their ids; in the order of the index. */
export function postingsOf(rows: readonly AuditKeys[]): Posting[] {
  const found = new Map<PostingKind, Map<string, number[]>>();
  for (const keys of rows) {
    const position = keys[0] % SEGMENT_SIZE;
    for (const [kind, value] of termsOf(keys)) {
      let values = found.get(kind);
      if (values === undefined) {
        values = new Map();
        found.set(kind, values);
      }
      const positions = values.get(value);
      if (positions === undefined) values.set(value, [position]);
      else positions.push(position);
    }
  }
  return inOrder(found).flatMap(([kind, values]) =>
    inOrder(values).map(([value, positions]) => [kind, value, encodeList(positions)] as const),
  );
}

function inOrder<K extends string, V>(map: ReadonlyMap<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
