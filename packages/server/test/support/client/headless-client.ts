import {
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { ApiClient } from "./api-client.ts";

/** What waits for a tool, as it comes over the wire. */
export interface Sealed {
  readonly ecdhPublicKey: Buffer;
  readonly encryptedIdtoken: Buffer;
}

/** A tool without a browser, that waits with a key for a login elsewhere, as existing ones do. */
export class HeadlessTool {
  /** Its public key, which is also what the person opens. */
  readonly code: string;
  readonly #key: KeyObject;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync("x25519");
    this.#key = privateKey;
    this.code = publicKey.export({ format: "jwk" }).x ?? "";
  }

  /** Opens what was sealed: AES-256-GCM under the raw shared secret, behind a nonce of 12 bytes. */
  open({ ecdhPublicKey, encryptedIdtoken: sealed }: Sealed): string {
    const theirs = { kty: "OKP", crv: "X25519", x: ecdhPublicKey.toString("ascii") };
    const publicKey = createPublicKey({ key: theirs, format: "jwk" });
    const secret = diffieHellman({ privateKey: this.#key, publicKey });
    const cipher = createDecipheriv("aes-256-gcm", secret, sealed.subarray(0, 12));
    cipher.setAuthTag(sealed.subarray(-16));
    return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()]).toString();
  }

  /** Asks over REST; undefined while nothing is there. */
  async ask(url: string): Promise<Sealed | undefined> {
    const response = await fetch(`${url}/sts/headless_sessions?code=${this.code}`);
    const body = (await response.json()) as Record<string, string>;
    if (response.status === 404) return undefined;
    return sealedOf(body);
  }

  /** Asks over gRPC, under the name that existing clients know; rejects while nothing is there. */
  async askOverGrpc(url: string): Promise<Sealed> {
    const api = new ApiClient({ url, token: "", protocol: "gRPC", naming: "public" });
    return sealedOf(await api.auth.getHeadlessSession({ code: this.code }));
  }
}

/** Bytes come as base64 in JSON. */
function sealedOf(body: Readonly<Record<string, string>>): Sealed {
  const bytes = (name: string) => Buffer.from(body[name] ?? "", "base64");
  return { ecdhPublicKey: bytes("ecdhPublicKey"), encryptedIdtoken: bytes("encryptedIdtoken") };
}
