import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type GetHeadlessSessionRequest, HeadlessSessionSchema } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { failedPrecondition, invalidArgument, notFound } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { putTicket, readTicket, rewriteTicket } from "../../store/tables/tickets.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";

/** What waits for the tool: our half of the key agreement, and the sealed token. */
interface Sealed {
  readonly key: string;
  readonly token: string;
}

const PURPOSE = "headless";

/** A tool asks every few seconds. */
const KEPT_MS = 5 * 60_000;

/**
 * Leaves a token for a tool elsewhere, sealed so that only it can read it: not even we can, later.
 */
export async function sealForTool(
  { engine, sessions, addresses }: LoginDeps,
  call: Call,
  code: string,
  scopes: readonly string[],
  person: Person,
): Promise<void> {
  // Of nobody: it must outlast the person's sessions, or somebody else could use the code again.
  const ticket = { purpose: PURPOSE, secret: code, identity: "" };
  const session = await engine.store.write(async (tx) => {
    const expires = call.time + KEPT_MS;
    // Whoever saw the link must not be able to put their own login in its place.
    if (!(await putTicket(tx, { ...ticket, payload: {}, expires }))) throw codeIsSpent();
    return sessions.open(tx, call, person, scopes);
  });
  const wanted = { audiences: [addresses().authUrl], scopes, capabilities: [] };
  const { token } = await sessions.accessToken(session, wanted, call.time);
  const payload = seal(code, token);
  await engine.store.write((tx) => rewriteTicket(tx, { ...ticket, payload }));
}

/** Refuses what nothing can be sealed for, before anyone logs in for it. */
export function checkHeadlessCode(code: string): void {
  sharedSecret(generateKeyPairSync("x25519").privateKey, code);
}

/** Seals a text for the holder of an X25519 key: AES-256-GCM under the shared secret. */
export function seal(code: string, text: string): Sealed {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const secret = sharedSecret(privateKey, code);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce);
  const sealed = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { key: x, token: Buffer.concat(sealed).toString("base64") };
}

function sharedSecret(privateKey: KeyObject, code: string): Buffer {
  try {
    const key = { kty: "OKP", crv: "X25519", x: code };
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: "jwk" }) });
  } catch {
    // Also keys of low order, with which the secret would be no secret.
    const description = "headless_code must be an X25519 public key as base64url";
    throw invalidArgument({ field: "headless_code", description });
  }
}

function codeIsSpent(): Error {
  const description = "a sign-in with this code was already completed";
  return failedPrecondition({ type: "CODE_SPENT", description });
}

/**
 * Hands out what a login left for a tool. It may ask again: what it gets is of use to nobody else.
 */
export function headlessSessionMethod(engine: Engine): Handler {
  return async (call, message) => {
    const { code } = message as GetHeadlessSessionRequest;
    const found = await readTicket<Partial<Sealed>>(engine.store.reader, PURPOSE, code, call.time);
    if (!found?.key || !found.token) throw notFound("HeadlessSession", code);
    const session = create(HeadlessSessionSchema, {
      ecdhPublicKey: Buffer.from(found.key, "utf8"),
      encryptedIdtoken: Buffer.from(found.token, "base64"),
    });
    return messageReply(HeadlessSessionSchema, session);
  };
}
