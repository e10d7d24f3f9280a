import { type Capability, CapabilitySet, capabilityFromName } from "@wharf/contract";
import { Grants } from "../../../src/auth/grants.ts";
import { SigningKeys } from "../../../src/auth/keys.ts";
import { issueToken } from "../../../src/auth/token.ts";
import { readSettings } from "../../../src/config/settings.ts";
import { Secrets } from "../../../src/secrets/secrets.ts";
import { openStore } from "../../../src/store/db/open.ts";
import type { TestServer } from "./test-server.ts";

/** Signs what the service itself would not: tokens of another time, for another audience. */
export interface Signer {
  readonly keys: SigningKeys;
  token(
    subject: string,
    other?: {
      now?: number;
      baseUrl?: string;
      authUrl?: string;
      /** The boundary of a down-scoped token: capabilities by group. */
      boundary?: Readonly<Record<string, readonly string[]>>;
    },
  ): Promise<string>;
}

/**
 * The server's own keys, read from its store.
 *
 * @example const old = await (await signerOf(server)).token(uid, { now: Date.now() - 7_200_000 });
 */
export async function signerOf(server: TestServer): Promise<Signer> {
  const settings = await readSettings(server.storeFlags, {});
  const store = await openStore(settings, [], { committed() {} });
  const keys = await SigningKeys.load(store, await Secrets.open(settings, store));
  await store.close();
  const { baseUrl } = server;
  return {
    keys,
    token: async (subject, { now = Date.now(), boundary: held, ...other } = {}) => {
      const addresses = { baseUrl, authUrl: baseUrl, ...other };
      const boundary = held && Grants.at(Object.entries(held).map(capabilitiesAt));
      const content = { subject, audiences: [addresses.baseUrl], boundary };
      return issueToken(keys, addresses, content, now).token;
    },
  };
}

function capabilitiesAt([group, names]: readonly [string, readonly string[]]) {
  const capabilities = names.map((name) => capabilityFromName(name) as Capability);
  return [group, CapabilitySet.of(...capabilities)] as const;
}
