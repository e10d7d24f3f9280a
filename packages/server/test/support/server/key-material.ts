/** The keys and secrets of a server, as a leak of its database and secret key tells them. */
import { createPrivateKey, type KeyObject } from "node:crypto";
import type { JWK as JsonWebKey } from "jose";
import { INSTALLATION_SECRETS } from "../../../src/secrets/installation-secrets.ts";
import { REGISTRY_KEYS, SIGNING_KEYS } from "../../../src/store/tables/keys.ts";
import { readAllSealed } from "../../../src/store/tables/secrets.ts";
import { DirectStore, rawRows } from "./direct-store.ts";
import type { TestServer } from "./test-server.ts";

/** The key material in a copy of the database and its secret key. */
export interface KeyMaterial {
  /** Private keys as JSON Web Keys, by their ids. */
  readonly signing: ReadonlyMap<string, JsonWebKey>;
  readonly registry: ReadonlyMap<string, JsonWebKey>;
  /** The installation's own secrets, by name. */
  readonly installation: ReadonlyMap<string, Buffer>;
  /** Client secrets of identity providers. */
  readonly others: readonly string[];
}

/**
 * Opens everything that a server's database holds sealed.
 *
 * @example const leaked = await keyMaterialOf(server);
 */
export async function keyMaterialOf(server: TestServer): Promise<KeyMaterial> {
  const direct = await DirectStore.open(server);
  const signing = new Map<string, JsonWebKey>();
  const registry = new Map<string, JsonWebKey>();
  const installation = new Map<string, Buffer>();
  const others: string[] = [];
  try {
    for (const { owner, name, sealed } of await readAllSealed(direct.store.reader)) {
      const text = direct.secrets.unseal(owner, name, sealed);
      if (owner === SIGNING_KEYS) signing.set(name, JSON.parse(text));
      else if (owner === REGISTRY_KEYS) registry.set(name, JSON.parse(text));
      else if ((INSTALLATION_SECRETS as readonly string[]).includes(owner))
        installation.set(owner, Buffer.from(text, "base64url"));
      else others.push(text);
    }
  } finally {
    await direct.close();
  }
  return { signing, registry, installation, others };
}

/** @example privateKeyOf(leaked.signing) */
export function privateKeyOf(keys: ReadonlyMap<string, JsonWebKey>): {
  kid: string;
  key: KeyObject;
} {
  const [kid, jwk] = [...keys][0] as [string, JsonWebKey];
  return { kid, key: createPrivateKey({ key: jwk, format: "jwk" }) };
}

/** The secret bytes of key material, with a name for each. */
export function secretBytesOf(material: KeyMaterial): [string, Buffer][] {
  const halves = [...material.signing, ...material.registry].map(
    ([kid, { d }]): [string, Buffer] => [`key ${kid}`, Buffer.from(d as string, "base64url")],
  );
  return [
    ...halves,
    ...material.installation,
    ...material.others.map((text): [string, Buffer] => ["client secret", Buffer.from(text)]),
  ];
}

/** The encodings of a text or bytes to search for: as they are, in base64, base64url or hex. */
export function spellings(secret: Buffer): Buffer[] {
  const texts = (["base64", "base64url", "hex"] as const).map((how) => secret.toString(how));
  // The padding is no part of the secret.
  const plain = texts.map((text) => Buffer.from(text.replace(/=+$/, "")));
  return [secret, ...plain, Buffer.from(secret.toString("hex").toUpperCase())];
}

/** Every value of every column of every table, with where it is. */
export async function everyValueOf(server: TestServer): Promise<{ at: string; value: Buffer }[]> {
  const names =
    server.storeFlags[0] === "--data"
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
  const values: { at: string; value: Buffer }[] = [];
  for (const { name } of await rawRows<{ name: string }>(server, names)) {
    for (const row of await rawRows<Record<string, unknown>>(server, `SELECT * FROM ${name}`)) {
      for (const [column, value] of Object.entries(row))
        values.push({ at: `${name}.${column}`, value: bytesOf(value) });
    }
  }
  return values;
}

function bytesOf(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value ?? ""));
}
