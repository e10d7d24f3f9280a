import {
  type Attempt,
  type CredentialCheck,
  exchange,
  formatError,
  members,
  notReady,
  type ResponseFormat,
} from "./exchange.ts";

/** The default audience of OIDC providers in AWS IAM. */
const AUDIENCE = "sts.amazonaws.com";

/** The shortest session that AWS allows. */
const DURATION_SECONDS = "900";

const FORMAT: ResponseFormat = {
  provider: "AWS",
  hasCredentials(json) {
    const response = members(members(json).AssumeRoleWithWebIdentityResponse);
    const result = members(response.AssumeRoleWithWebIdentityResult);
    return typeof members(result.Credentials).AccessKeyId === "string";
  },
  errorText(json) {
    const { Code: code, Message: message } = members(members(json).Error);
    return typeof code === "string" ? formatError(code, message) : undefined;
  },
};

/** Assumes the role that the AWS account has for this installation. */
export async function tryAmazon({
  association,
  settings,
  sign,
  traceparent,
}: Attempt): Promise<CredentialCheck> {
  const { amazon, uid } = association;
  if (amazon === undefined) {
    return notReady("NOT_CONFIGURED", "the association names no Amazon account");
  }
  const form = {
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: `arn:aws:iam::${amazon.account}:role/${settings.awsRole}`,
    // Session names allow no slashes.
    RoleSessionName: `wharf-${uid.slice(uid.lastIndexOf("/") + 1)}`,
    DurationSeconds: DURATION_SECONDS,
    WebIdentityToken: await sign(AUDIENCE),
  };
  return exchange(`${settings.awsStsEndpoint}/`, form, FORMAT, traceparent);
}
