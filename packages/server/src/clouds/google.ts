import {
  type Attempt,
  type CredentialCheck,
  exchange,
  formatError,
  members,
  notReady,
  oauthErrorText,
  type ResponseFormat,
} from "./exchange.ts";

const FORMAT: ResponseFormat = {
  provider: "Google",
  hasCredentials: (json) => typeof members(json).access_token === "string",
  errorText(json) {
    // Errors of the API gateway have another format than those of the token service.
    const { status, message } = members(members(json).error);
    return typeof status === "string" ? formatError(status, message) : oauthErrorText(json);
  },
};

/** Gets a token of the workload identity pool that the Google project has for this installation. */
export async function tryGoogle({
  association,
  settings,
  sign,
  traceparent,
}: Attempt): Promise<CredentialCheck> {
  const { google } = association;
  if (google === undefined) {
    return notReady("NOT_CONFIGURED", "the association names no Google project");
  }
  const { googlePool, googleProvider, googleStsEndpoint } = settings;
  const pool = `projects/${google.projectNumber}/locations/global/workloadIdentityPools/${googlePool}`;
  const provider = `//iam.googleapis.com/${pool}/providers/${googleProvider}`;
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: provider,
    scope: "https://www.googleapis.com/auth/cloud-platform",
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    // The default audience of a workload identity provider.
    subject_token: await sign(`https:${provider}`),
  };
  return exchange(`${googleStsEndpoint}/v1/token`, form, FORMAT, traceparent);
}
