import { invalidArgument } from "../../lib/errors.ts";
import { registryHosts } from "../../sts/audiences.ts";
import type { LoginDeps } from "../login.ts";

/** Longer than any name of a client. */
const MAX_CLIENT_ID_CHARACTERS = 255;

/**
 * The client of a request; empty for none. Clients are not registered, and an ID token has its client as audience: so the
 * audiences that this installation issues access tokens for are no clients.
 */
export function readClientId(
  { settings, addresses }: Pick<LoginDeps, "settings" | "addresses">,
  parameters: URLSearchParams,
): string {
  const clientId = parameters.get("client_id") ?? "";
  const { baseUrl, authUrl } = addresses();
  const audiences = [baseUrl, ...settings.audiences, ...registryHosts(settings, baseUrl)];
  if (clientId !== authUrl && audiences.includes(clientId)) {
    throw invalidClient("must be the name of a client, not an audience");
  }
  if (clientId.length <= MAX_CLIENT_ID_CHARACTERS) return clientId;
  throw invalidClient(`must have at most ${MAX_CLIENT_ID_CHARACTERS} characters`);
}

function invalidClient(problem: string): Error {
  return invalidArgument({ field: "client_id", description: `client_id ${problem}` });
}
