import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
} from "node:crypto";
import type { SigningKeys } from "../../auth/keys.ts";
import { signJwt } from "../../auth/sign.ts";
import type { Addresses } from "../../config/addresses.ts";
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts";

/** Validity of the token of a delivery. Each attempt has its own. */
const TOKEN_SECONDS = 300;

/** The audience of the tokens, which receivers check. */
const AUDIENCE = "customer";

/** PKCS #8 prefix of the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

export interface WebhookSignerDeps {
  readonly keys: SigningKeys;
  readonly installation: InstallationSecrets;
  addresses(): Addresses;
}

/**
 * Signs deliveries twice, so that receivers of either kind verify them: with a token of the issuer, which has the digest
 * of the body, and with the headers of Standard Webhooks.
 */
export class WebhookSigner {
  readonly #deps: WebhookSignerDeps;
  #seed: Buffer | undefined;
  #key: KeyObject | undefined;

  constructor(deps: WebhookSignerDeps) {
    this.#deps = deps;
  }

  /** The headers that prove where a delivery comes from. */
  headers(
    group: string,
    id: string,
    body: string,
    secrets: readonly Buffer[],
    now: number,
  ): Record<string, string> {
    const timestamp = Math.floor(now / 1000);
    const signed = `${id}.${timestamp}.${body}`;
    const ed25519 = sign(null, Buffer.from(signed), this.#privateKey()).toString("base64");
    const hmacs = secrets.map((secret) =>
      createHmac("sha256", secret).update(signed).digest("base64"),
    );
    return {
      authorization: `Bearer ${this.#token(group, body, timestamp)}`,
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": [`v1a,${ed25519}`, ...hmacs.map((hmac) => `v1,${hmac}`)].join(" "),
    };
  }

  #token(group: string, body: string, now: number): string {
    const { keys, addresses } = this.#deps;
    return signJwt(keys.keyFor([AUDIENCE]), {
      iss: addresses().authUrl,
      aud: AUDIENCE,
      sub: `webhook:${group}`,
      iat: now,
      exp: now + TOKEN_SECONDS,
      webhook: { digest: `sha256:${createHash("sha256").update(body).digest("hex")}` },
    });
  }

  /** The public key of the installation: as a JWK, and as Standard Webhooks writes it. */
  async publicKeys(): Promise<object> {
    await this.#deps.installation.reloadIfChanged();
    const jwk = createPublicKey(this.#privateKey()).export({ format: "jwk" });
    const raw = Buffer.from(jwk.x as string, "base64url");
    const kid = createHash("sha256").update(raw).digest("base64url").slice(0, 16);
    return {
      keys: [{ ...jwk, kid, use: "sig", alg: "EdDSA", whpk: `whpk_${raw.toString("base64")}` }],
    };
  }

  /** Made from a secret of the installation: all replicas have the same, and a rotation replaces it. */
  #privateKey(): KeyObject {
    const seed = this.#deps.installation.get("webhooks");
    if (this.#key === undefined || this.#seed !== seed) {
      const key = Buffer.concat([PKCS8_PREFIX, seed]);
      this.#key = createPrivateKey({ key, format: "der", type: "pkcs8" });
      this.#seed = seed;
    }
    return this.#key;
  }
}
