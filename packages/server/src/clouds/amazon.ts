import {
  type Answers,
  type Attempt,
  exchange,
  members,
  notReady,
  type Outcome,
  sentence,
} from "./exchange.ts";

/** The audience that AWS suggests for tokens that roles are assumed with. */
const AUDIENCE = "sts.amazonaws.com";

/** The least that AWS gives. */
const SECONDS = "900";

const ANSWERS: Answers = {
  provider: "AWS",
  granted(json) {
    const response = members(members(json).AssumeRoleWithWebIdentityResponse);
    const result = members(response.AssumeRoleWithWebIdentityResult);
    return typeof members(result.Credentials).AccessKeyId === "string";
  },
  refusal(json) {
    const { Code: code, Message: message } = members(members(json).Error);
    return typeof code === "string" ? sentence(code, message) : undefined;
  },
};

/**
 * Assumes the role that the account keeps for us.
 *
 * @example const outcome = await tryAmazon(attempt);
 */
export async function tryAmazon({ association, settings, sign }: Attempt): Promise<Outcome> {
  const { amazon, uid } = association;
  if (amazon === undefined) {
    return notReady("NOT_CONFIGURED", "the association names no Amazon account");
  }
  const form = {
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: `arn:aws:iam::${amazon.account}:role/${settings.awsRole}`,
    // Names of sessions have no slashes.
    RoleSessionName: `wharf-${uid.slice(uid.lastIndexOf("/") + 1)}`,
    DurationSeconds: SECONDS,
    WebIdentityToken: await sign(AUDIENCE),
  };
  return exchange(`${settings.awsStsEndpoint}/`, form, ANSWERS);
}
