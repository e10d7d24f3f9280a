import {
  type Answers,
  type Attempt,
  exchange,
  members,
  notReady,
  type Outcome,
  oauthRefusal,
  sentence,
} from "./exchange.ts";

const ANSWERS: Answers = {
  provider: "Google",
  granted: (json) => typeof members(json).access_token === "string",
  refusal(json) {
    // What its gateway refuses has another form than what its token service refuses.
    const { status, message } = members(members(json).error);
    return typeof status === "string" ? sentence(status, message) : oauthRefusal(json);
  },
};

/**
 * Gets a token of the workload identity pool that the project keeps for us.
 *
 * @example const outcome = await tryGoogle(attempt);
 */
export async function tryGoogle({ association, settings, sign }: Attempt): Promise<Outcome> {
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
    // The audience that a provider takes unless it names others.
    subject_token: await sign(`https:${provider}`),
  };
  return exchange(`${googleStsEndpoint}/v1/token`, form, ANSWERS);
}
