import { readBearer } from "../lib/bearer.ts";
import { BoundedCache } from "../lib/bounded-cache.ts";

/** The claims of the public contract that are texts. */
interface Claims {
  readonly sub?: unknown;
  readonly email?: unknown;
  readonly act?: { readonly [name: string]: unknown };
}

/** The token that an identity acts with. */
interface Actor {
  readonly subject: string;
  /** The exchanged claims and the address, as JSON; empty without any. */
  readonly act: string;
}

const NOBODY: Actor = { subject: "", act: "" };

/** Actors by the header of their requests: every write asks, and few tokens write much. */
const actors = new BoundedCache<string, Actor>({ maxEntries: 1_000, maxBytes: 4 * 1024 * 1024 });

/**
 * The claims of the token that a caller exchanged for theirs, and the address, as JSON: values are texts, as receivers of
 * events expect. Empty without any. The token has been verified: it authenticated the caller.
 */
export function actOf(authorization: string | undefined, subject: string): string {
  if (authorization === undefined || subject === "") return "";
  let actor = actors.get(authorization);
  if (actor === undefined) {
    actor = readActor(authorization);
    actors.set(authorization, actor, authorization.length + actor.act.length);
  }
  return actor.subject === subject ? actor.act : "";
}

function readActor(authorization: string): Actor {
  const [, payload = ""] = (readBearer(authorization) ?? "").split(".");
  const text = Buffer.from(payload, "base64url").toString();
  // Most tokens have none.
  if (!text.includes('"act"')) return NOBODY;
  const { sub, email, act } = JSON.parse(text) as Claims;
  if (act === undefined) return NOBODY;
  const claims = { aud: act.aud, iss: act.iss, sub: act.sub, email };
  const texts = Object.entries(claims).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    return [[name, Array.isArray(value) ? value.join(",") : String(value)] as const];
  });
  if (texts.length === 0) return NOBODY;
  return { subject: String(sub), act: JSON.stringify(Object.fromEntries(texts)) };
}
