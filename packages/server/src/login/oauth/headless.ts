import { createPublicKey, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type GetHeadlessSessionRequest, HeadlessSessionSchema } from "@wharf/contract";
import { encrypt } from "../../lib/crypto/aes-gcm.ts";
import { failedPrecondition, invalidArgument, notFound } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Store } from "../../store/db/store.ts";
import { addTicket, readTicket, rewriteTicket } from "../../store/tables/login/tickets.ts";
import type { LoginDeps } from "../login.ts";
import type { Person } from "../people/person.ts";
import type { SessionRequest } from "../people/sessions.ts";

/** Our public key and the encrypted token, until the tool fetches them. */
interface Sealed {
  readonly key: string;
  readonly token: string;
}

const PURPOSE = "headless";

/** Tools poll every few seconds. */
const TTL_MS = 5 * 60_000;

/** Stores a token for a tool on another machine, encrypted so that only the tool can read it. */
export async function sealTokenForTool(
  { store, sessions, addresses }: LoginDeps,
  call: Call,
  code: string,
  request: SessionRequest,
  person: Person,
): Promise<void> {
  // Without an identity: the ticket must outlast the person's sessions, or the code could be used
  // again.
  const ticket = { purpose: PURPOSE, secret: code, identity: "" };
  const session = await store.write(async (tx) => {
    const expires = call.time + TTL_MS;
    // Others who saw the link must not be able to substitute their own sign-in.
    if (!(await addTicket(tx, { ...ticket, payload: {}, expires }))) throw codeAlreadyUsed();
    return sessions.open(tx, call, person, request);
  });
  const tokenRequest = { audiences: [addresses().authUrl], scopes: [], capabilities: [] };
  const { token } = await sessions.firstToken(call, session, tokenRequest);
  const payload = seal(code, token);
  await store.write((tx) => rewriteTicket(tx, { ...ticket, payload }));
}

/** Rejects an invalid public key before anyone signs in for it. */
export function checkHeadlessCode(code: string): void {
  sharedSecret(generateKeyPairSync("x25519").privateKey, code);
}

/** Encrypts a text for the holder of an X25519 key: AES-256-GCM with the shared secret. */
export function seal(code: string, text: string): Sealed {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const secret = sharedSecret(privateKey, code);
  const { nonce, ciphertext, tag } = encrypt(secret, text, "");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { key: x, token: Buffer.concat([nonce, ciphertext, tag]).toString("base64") };
}

function sharedSecret(privateKey: KeyObject, code: string): Buffer {
  try {
    const key = { kty: "OKP", crv: "X25519", x: code };
    return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: "jwk" }) });
  } catch {
    // Includes keys of low order, which yield no secret.
    const description = "headless_code must be an X25519 public key as base64url";
    throw invalidArgument({ field: "headless_code", description });
  }
}

function codeAlreadyUsed(): Error {
  const description = "a sign-in with this code was already completed";
  return failedPrecondition({ type: "CODE_SPENT", description });
}

/** Returns the encrypted token. Tools may repeat the request: nobody else can decrypt it. */
export function headlessSessionMethod(store: Store): Handler {
  return async (call, message) => {
    const { code } = message as GetHeadlessSessionRequest;
    const found = await readTicket<Partial<Sealed>>(store.reader, PURPOSE, code, call.time);
    if (!found?.key || !found.token) throw notFound("HeadlessSession", code);
    const session = create(HeadlessSessionSchema, {
      ecdhPublicKey: Buffer.from(found.key, "utf8"),
      encryptedIdtoken: Buffer.from(found.token, "base64"),
    });
    return messageReply(HeadlessSessionSchema, session);
  };
}
