/** A WebAuthn authenticator in software, which also does what real ones do not. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** The options of a WebAuthn request that matter here. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id?: string };
  readonly user?: { readonly id: string };
}

/** Faults that a test can cause. */
export interface PasskeyFault {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly counter?: number;
  /** Whether the person's finger or PIN was right. */
  readonly verified?: boolean;
  readonly userHandle?: string;
  readonly credentialId?: string;
  readonly spoilSignature?: boolean;
  readonly type?: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A passkey in software: it can do what no browser would let a real one do. */
export class SoftPasskey {
  readonly #origin: string;
  readonly #id = randomBytes(16);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #counter = 0;
  #user = "";

  /** @example const passkey = new SoftPasskey("http://localhost:8080"); */
  constructor(origin: string) {
    this.#origin = origin;
  }

  get credentialId(): string {
    return this.#id.toString("base64url");
  }

  /** Answers a request to be made. */
  create(options: PasskeyOptions, fault: PasskeyFault = {}): object {
    this.#user = options.user?.id ?? "";
    const id = Buffer.from([0, this.#id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), id, this.#id, this.#coseKey()]);
    const data = this.#authenticatorData(options.rp?.id ?? "", fault, HAS_CREDENTIAL, attested);
    const attestation = Buffer.concat([
      Buffer.from("a363666d74646e6f6e656761747453746d74a06861757468446174", "hex"),
      Buffer.from([0x61, 0x58, data.length]),
      data,
    ]);
    return this.#answer(fault, {
      clientDataJSON: this.#clientData("webauthn.create", options, fault),
      attestationObject: attestation.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** Answers a request to be used. */
  get(options: PasskeyOptions, fault: PasskeyFault = {}): object {
    this.#counter += 1;
    const data = this.#authenticatorData(options.rpId ?? "", fault);
    const clientData = this.#clientData("webauthn.get", options, fault);
    const digest = createHash("sha256").update(Buffer.from(clientData, "base64url")).digest();
    const signature = sign("sha256", Buffer.concat([data, digest]), this.#keys.privateKey);
    if (fault.spoilSignature) signature[signature.length - 1] = (signature.at(-1) ?? 0) ^ 1;
    return this.#answer(fault, {
      clientDataJSON: clientData,
      authenticatorData: data.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: fault.userHandle ?? this.#user,
    });
  }

  #answer({ credentialId = this.credentialId }: PasskeyFault, response: object): object {
    const whole = { id: credentialId, rawId: credentialId, type: "public-key", response };
    return { ...whole, clientExtensionResults: {} };
  }

  #clientData(type: string, options: PasskeyOptions, fault: PasskeyFault): string {
    const challenge = fault.challenge ?? options.challenge;
    const origin = fault.origin ?? this.#origin;
    const data = { type: fault.type ?? type, challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(data)).toString("base64url");
  }

  #authenticatorData(rpId: string, fault: PasskeyFault, flags = 0, rest = Buffer.alloc(0)): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(fault.counter ?? this.#counter);
    const verified = fault.verified === false ? 0 : VERIFIED;
    return Buffer.concat([
      createHash("sha256")
        .update(fault.rpId ?? rpId)
        .digest(),
      Buffer.from([PRESENT | verified | flags]),
      counter,
      rest,
    ]);
  }

  /** The public key as COSE writes one of the curve P-256. */
  #coseKey(): Buffer {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    return Buffer.concat([
      Buffer.from("a5010203262001215820", "hex"),
      Buffer.from(x, "base64url"),
      Buffer.from("225820", "hex"),
      Buffer.from(y, "base64url"),
    ]);
  }
}
