import { choice, field, type Platform, quoted } from "./platform.ts";
import { escapePattern, nameFrom } from "./subjects.ts";

const PARTITION = "arn:aws(-[a-z]+)*";

export const aws: Platform = {
  fields: {
    principal: { ...choice("role", "user"), option: "" },
    awsAccount: {
      ...field("an account ID of 12 digits", "123456789012", /^\d{12}$/),
      isRequired: true,
    },
    awsName: {
      ...field("the name of a role or user, without its path", "deployer", /^[\w+=,.@-]{1,64}$/),
      isRequired: true,
      option: ({ principal }) => `aws-${principal ?? "role"}`,
    },
    userId: {
      expected: "the unique ID",
      example: "",
      problem: (text, { principal }) => {
        const prefix = principal === "user" ? "AIDA" : "AROA";
        if (text.startsWith(prefix) && /^[A-Z0-9]{5,}$/.test(text)) return undefined;
        return `must be the unique ID of the ${principal || "role"}, such as ${prefix}EXAMPLEID, not ${quoted(text)}`;
      },
    },
  },
  command: ({ principal = "role" }) => ["aws", principal],
  trust({ principal, awsAccount: account = "", awsName = "", userId }) {
    const kind = principal === "user" ? "user" : "role";
    const name = escapePattern(awsName);
    // The ARN and the user ID of a role end in the name of the session, which can be anything.
    const ofRole = {
      arnPattern: `${PARTITION}:sts::${account}:assumed-role/${name}/.+`,
      userIdPattern: `${userId ?? "AROA[A-Z0-9]+"}:.+`,
    };
    const ofUser = {
      arnPattern: `${PARTITION}:iam::${account}:user/(.+/)?${name}`,
      ...(userId ? { userId } : { userIdPattern: "AIDA[A-Z0-9]+" }),
    };
    const arn = (of: string, from = account) =>
      kind === "role"
        ? `arn:aws:sts::${from}:assumed-role/${of}/session`
        : `arn:aws:iam::${from}:user/${of}`;
    return {
      name: nameFrom("aws", account, awsName),
      description: `AWS ${kind} ${awsName} of ${account}`,
      relationship: {
        awsIdentity: { awsAccount: account, ...(kind === "role" ? ofRole : ofUser) },
      },
      samples: [
        { subject: arn(awsName), of: "this principal" },
        { subject: arn("other"), of: "another one of the account" },
        { subject: arn(awsName, "999999999999"), of: "the same name in another account" },
      ],
      warnings: userId
        ? []
        : [
            `only the name of the ${kind} is checked, which can be deleted and used again: give its unique ID, which \`aws iam get-${kind}\` prints`,
          ],
    };
  },
};
