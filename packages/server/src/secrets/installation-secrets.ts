import { randomBytes, randomUUID } from "node:crypto";
import type { Transaction } from "../store/db/group-commit.ts";
import type { Store } from "../store/db/store.ts";
import { deleteSealedOf, readSealedOf } from "../store/tables/secrets.ts";
import type { Secrets } from "./secrets.ts";

/** The installation's own secrets: knowing one is enough to forge what it protects. */
export const INSTALLATION_SECRETS = [
  "login-tickets",
  "page-tokens",
  "refresh-tokens",
  "registry-notifications",
] as const;

export type InstallationSecretName = (typeof INSTALLATION_SECRETS)[number];

const SECRET_BYTES = 32;

interface Opened {
  /** The name of the sealed value, which no other value ever has. */
  readonly id: string;
  readonly value: Buffer;
}

/**
 * The installation's own secrets, as this process knows them. All replicas share them; a rotation
 * moves the access version, and so reaches every replica with its next request.
 */
export class InstallationSecrets {
  readonly #store: Store;
  readonly #secrets: Secrets;
  #opened: ReadonlyMap<string, Opened> = new Map();
  #version = -1;
  #started = 0;
  #applied = 0;

  private constructor(store: Store, secrets: Secrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /**
   * Loads the secrets; makes those of a new installation.
   *
   * @example const installation = await InstallationSecrets.open(store, secrets);
   */
  static async open(store: Store, secrets: Secrets): Promise<InstallationSecrets> {
    const installation = new InstallationSecrets(store, secrets);
    await installation.reload();
    if (INSTALLATION_SECRETS.some((name) => !installation.#opened.has(name))) {
      await store.write(async (tx) => {
        await tx.acquireLock();
        const present = new Set(
          (await readSealedOf(tx, INSTALLATION_SECRETS)).map(({ owner }) => owner),
        );
        for (const name of INSTALLATION_SECRETS)
          if (!present.has(name)) await putFresh(tx, secrets, name);
      });
      await installation.reload();
    }
    return installation;
  }

  /** Replaces all of them. */
  static async rotate(tx: Transaction, secrets: Secrets): Promise<void> {
    for (const name of INSTALLATION_SECRETS) {
      await deleteSealedOf(tx, name);
      await putFresh(tx, secrets, name);
    }
    tx.accessChanged();
  }

  /** The secret as of the last reload: the same object until it is replaced. */
  get(name: InstallationSecretName): Buffer {
    const opened = this.#opened.get(name);
    if (opened === undefined) throw new Error(`the installation has no secret for ${name}`);
    return opened.value;
  }

  /** Reads them again if the access version has moved since: for requests that bring no bearer token. */
  async catchUp(): Promise<void> {
    const version = await this.#store.accessVersion();
    if (version === this.#version) return;
    await this.reload();
    this.#version = version;
  }

  async reload(): Promise<void> {
    this.#started += 1;
    const order = this.#started;
    const { reader } = this.#store;
    const opened = new Map<string, Opened>();
    for (const { owner, name, sealed } of await readSealedOf(reader, INSTALLATION_SECRETS)) {
      const known = this.#opened.get(owner);
      if (known?.id === name) {
        opened.set(owner, known);
        continue;
      }
      const text = await this.#secrets.openSealed(reader, owner, name, sealed);
      opened.set(owner, { id: name, value: Buffer.from(text, "base64url") });
    }
    // A read that began before another, and ends after it, may be of before a rotation.
    if (order < this.#applied) return;
    this.#applied = order;
    this.#opened = opened;
  }
}

async function putFresh(tx: Transaction, secrets: Secrets, name: InstallationSecretName) {
  const value = randomBytes(SECRET_BYTES).toString("base64url");
  await secrets.put(tx, name, randomUUID(), value);
}
