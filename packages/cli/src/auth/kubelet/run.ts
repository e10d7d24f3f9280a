import { text } from "node:stream/consumers";
import { isUid } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import { trust } from "../../trust.ts";
import type { kubeletCredentialDefinition } from "../commands.ts";
import { USERNAME } from "../docker/credentials.ts";
import { settingsFor } from "../docker/servers.ts";
import { issuerAt } from "../issuer.ts";
import { exchangeToken } from "../renew.ts";
import { readRequest, responseText } from "./protocol.ts";

/** The annotation of a service account that names the identity of its pods. */
const IDENTITY_ANNOTATION = "wharf/identity";

/** Credentials are not used in their last minute: a pull takes time. */
const MARGIN_SECONDS = 60;

/**
 * Exchanges the token of a pod's service account for one of the image's registry. The token is sent to the server of
 * the settings, or of the context that has the registry, which rejects registries that are not its own.
 */
export const kubeletCredential: Run<typeof kubeletCredentialDefinition> = async (
  { settings, environment, err, out },
  args,
) => {
  const { registry, token, annotations } = readRequest(await text(process.stdin));
  if (token === undefined) {
    err.warn("the request has no serviceAccountToken: continuing without credentials");
    return out.text(responseText(undefined));
  }
  const identity = annotations[IDENTITY_ANNOTATION] ?? args.identity;
  if (typeof identity !== "string" || !isUid(identity)) {
    throw usageError(
      "no identity: neither --identity nor the annotation of the service account is a UID",
      `annotate the service account with ${IDENTITY_ANNOTATION}, and name the annotation in tokenAttributes`,
    );
  }
  const { issuer, ca } = await settingsFor(registry, settings, environment);
  await trust(ca);
  const { wharf } = issuerAt(issuer, err);
  const access = await exchangeToken(wharf, token, registry, identity);
  const seconds = Math.floor((access.expires - Date.now()) / 1000) - MARGIN_SECONDS;
  out.text(
    responseText({
      registry,
      username: USERNAME,
      password: access.token,
      seconds: Math.max(0, seconds),
    }),
  );
};
