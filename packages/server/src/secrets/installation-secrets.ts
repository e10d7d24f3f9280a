import { randomBytes, randomUUID } from "node:crypto";
import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Store } from "../store/db/store.ts";
import { deleteSealedOf, readSealedOf } from "../store/tables/secrets.ts";
import { Reloads } from "./reloads.ts";
import type { Secrets } from "./secrets.ts";

/** The names of the installation's own secrets. Each is enough to forge what it protects. */
export const INSTALLATION_SECRETS = [
  "idempotency-keys",
  "login-tickets",
  "page-tokens",
  "refresh-tokens",
  "registry-notifications",
  "webhooks",
] as const;

export type InstallationSecretName = (typeof INSTALLATION_SECRETS)[number];

const SECRET_BYTES = 32;

interface OpenedSecret {
  /** The unique name of the sealed value. */
  readonly id: string;
  readonly value: Buffer;
}

/**
 * The installation's own secrets, in memory. All replicas share them. A rotation increments the access
 * version, so every replica loads the new ones with its next request.
 */
export class InstallationSecrets {
  readonly #store: Store;
  readonly #secrets: Secrets;
  readonly #reloads: Reloads;
  #opened: ReadonlyMap<string, OpenedSecret> = new Map();

  private constructor(store: Store, secrets: Secrets) {
    this.#store = store;
    this.#secrets = secrets;
    this.#reloads = new Reloads(store);
  }

  /** Loads the secrets, and creates missing ones. */
  static async open(store: Store, secrets: Secrets): Promise<InstallationSecrets> {
    const installation = new InstallationSecrets(store, secrets);
    await installation.reload();
    if (INSTALLATION_SECRETS.some((name) => !installation.#opened.has(name))) {
      await store.write(async (tx) => {
        await tx.acquireLock();
        const existing = new Set(
          (await readSealedOf(tx, INSTALLATION_SECRETS)).map(({ owner }) => owner),
        );
        for (const name of INSTALLATION_SECRETS)
          if (!existing.has(name)) await createSecret(tx, secrets, name);
      });
      await installation.reload();
    }
    return installation;
  }

  /** Replaces all secrets. */
  static async rotate(tx: Transaction, secrets: Secrets): Promise<void> {
    for (const name of INSTALLATION_SECRETS) {
      await deleteSealedOf(tx, name);
      await createSecret(tx, secrets, name);
    }
    tx.accessChanged();
  }

  /** A secret as of the last reload: the same object until a rotation. */
  get(name: InstallationSecretName): Buffer {
    const opened = this.#opened.get(name);
    if (opened === undefined) throw new Error(`the installation has no secret for ${name}`);
    return opened.value;
  }

  /** Reloads the secrets if the access version has changed: for requests without a bearer token. */
  reloadIfChanged(): Promise<void> {
    return this.#reloads.ifChanged(() => this.reload());
  }

  async reload(): Promise<void> {
    await this.#reloads.run(
      () => this.#read(),
      (opened) => {
        this.#opened = opened;
      },
    );
  }

  /** Opens the secrets that are not open yet. */
  async #read(): Promise<ReadonlyMap<string, OpenedSecret>> {
    const { reader } = this.#store;
    const opened = new Map<string, OpenedSecret>();
    for (const { owner, name, sealed } of await readSealedOf(reader, INSTALLATION_SECRETS)) {
      const current = this.#opened.get(owner);
      if (current?.id === name) {
        opened.set(owner, current);
        continue;
      }
      const text = await this.#secrets.openSealed(reader, owner, name, sealed);
      opened.set(owner, { id: name, value: Buffer.from(text, "base64url") });
    }
    return opened;
  }
}

async function createSecret(tx: Transaction, secrets: Secrets, name: InstallationSecretName) {
  const value = randomBytes(SECRET_BYTES).toString("base64url");
  await secrets.put(tx, name, randomUUID(), value);
}
