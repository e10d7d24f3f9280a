import { SigningKeys } from "@wharf/server/auth/keys.ts";
import { issueToken } from "@wharf/server/auth/token.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { Secrets } from "@wharf/server/secrets/secrets.ts";
import { openStore } from "@wharf/server/store/db/open.ts";
import type { Wharf } from "./wharf.ts";

/** The signing keys of the server on a data directory. */
export async function signingKeysOf(data: string): Promise<SigningKeys> {
  const settings = await readSettings(["--data", data], {});
  const store = await openStore(settings, [], { committed() {} });
  const keys = await SigningKeys.load(store, await Secrets.open(settings, store));
  await store.close();
  return keys;
}

/** Tokens of identities, by uid. */
export async function tokensOf(
  server: Wharf,
  data: string,
  identities: readonly string[],
): Promise<Map<string, string>> {
  const keys = await signingKeysOf(data);
  const addresses = { baseUrl: server.url, authUrl: server.url };
  return new Map(
    identities.map((subject) => {
      const content = { subject, audiences: [server.url], boundary: undefined };
      return [subject, issueToken(keys, addresses, content, Date.now()).token];
    }),
  );
}
