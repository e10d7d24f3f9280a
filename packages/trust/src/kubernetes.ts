import { field, type Platform } from "./platform.ts";
import { AUDIENCE, EXPIRATION, ISSUER, KEYS, nameFrom, subjectMatch } from "./subjects.ts";

/** The default issuer of every cluster: only public keys tell one from another. */
const CLUSTER_ISSUER = "https://kubernetes.default.svc.cluster.local";

export const kubernetes: Platform = {
  fields: {
    namespace: {
      ...field("a namespace, such as prod", "prod", /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/),
      isRequired: true,
    },
    serviceAccount: {
      ...field(
        "a service account, such as app",
        "app",
        /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/,
      ),
      isRequired: true,
    },
    issuer: {
      ...ISSUER,
      expected: "the issuer URL of the cluster, unless its public keys are given",
      isRequired: ({ issuerKeys }) => !issuerKeys,
    },
    audience: AUDIENCE,
    issuerKeys: KEYS,
    expiration: EXPIRATION,
  },
  command: () => ["kubernetes"],
  trust(values) {
    const { namespace = "", serviceAccount = "", issuer = CLUSTER_ISSUER } = values;
    const subject = (space: string, name: string) => `system:serviceaccount:${space}:${name}`;
    return {
      name: nameFrom("kubernetes", namespace, serviceAccount),
      description: `Service account ${namespace}/${serviceAccount}`,
      relationship: subjectMatch(issuer, subject(namespace, serviceAccount), values),
      samples: [
        { subject: subject(namespace, serviceAccount), of: "this service account" },
        { subject: subject(namespace, "default"), of: "pods without a service account" },
        { subject: subject("other", serviceAccount), of: "the same name in another namespace" },
      ],
      warnings:
        serviceAccount === "default"
          ? ["every pod of the namespace without a service account of its own has this one"]
          : [],
    };
  },
};
