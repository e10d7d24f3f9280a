import { platformTexts as words } from "../../../texts/platforms.ts";
import { escapePattern, nameFrom } from "../trust.ts";
import { option, type Platform } from "./platform.ts";

export const aws: Platform = {
  label: words.aws.label,
  lead: words.aws.lead,
  fields: [
    { name: "principal", label: words.aws.principal, options: words.aws.principals },
    { name: "account", label: words.aws.account, hint: words.aws.accountHint, isRequired: true },
    { name: "awsName", label: words.aws.name, isRequired: true },
    { name: "userId", label: words.aws.userId, hint: words.aws.userIdHint },
  ],
  draft({ principal = "role", account = "", awsName = "", userId = "" }) {
    const [id, name] = [account || "123456789012", awsName || "deployer"];
    const partition = "arn:aws(-[a-z]+)*";
    const isRole = principal === "role";
    const awsIdentity = {
      awsAccount: id,
      arnPattern: isRole
        ? `${partition}:sts::${id}:assumed-role/${escapePattern(name)}/.+`
        : `${partition}:iam::${id}:user/(.+/)?${escapePattern(name)}`,
      ...(isRole && { userIdPattern: `${userId ? escapePattern(userId) : "AROA[A-Z0-9]+"}:.+` }),
      ...(!isRole && userId && { userId }),
      ...(!isRole && !userId && { userIdPattern: "AIDA[A-Z0-9]+" }),
    };
    const arn = (of: string) =>
      isRole ? `arn:aws:sts::${id}:assumed-role/${of}/session` : `arn:aws:iam::${id}:user/${of}`;
    return {
      name: nameFrom("aws", account, awsName),
      description: awsName && words.aws.description(principal, awsName, account),
      relationship: { awsIdentity },
      samples: [
        { subject: arn(name), what: words.aws.samples.this },
        { subject: arn("other"), what: words.aws.samples.other },
        { subject: arn(name).replace(id, "999999999999"), what: words.aws.samples.account },
      ],
      warnings: userId ? [] : [words.aws.idMissing(principal)],
      command: [
        "aws",
        principal,
        ...option("aws-account", account || "ACCOUNT"),
        ...option(`aws-${principal}`, awsName || "NAME"),
        ...option("user-id", userId),
      ],
    };
  },
};
