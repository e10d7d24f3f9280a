import { platformTexts as words } from "../../../texts/platforms.ts";
import { nameFrom } from "../trust.ts";
import { KEYS, option, type Platform, subjectOf } from "./platform.ts";

const CLUSTER_ISSUER = "https://kubernetes.default.svc.cluster.local";

export const kubernetes: Platform = {
  label: words.kubernetes.label,
  lead: words.kubernetes.lead,
  fields: [
    { name: "namespace", label: words.kubernetes.namespace, isRequired: true },
    {
      name: "account",
      label: words.kubernetes.account,
      hint: words.kubernetes.accountHint,
      isRequired: true,
    },
    { name: "issuer", label: words.kubernetes.issuer, hint: words.kubernetes.issuerHint },
    { ...KEYS, hint: words.kubernetes.keysHint },
  ],
  draft(values) {
    const { namespace = "", account = "", issuer, keys } = values;
    const subject = (space: string, name: string) => `system:serviceaccount:${space}:${name}`;
    const [space, name] = [namespace || "prod", account || "app"];
    return {
      name: nameFrom("kubernetes", namespace, account),
      description: account && words.kubernetes.description(`${namespace}/${account}`),
      relationship: subjectOf(issuer || CLUSTER_ISSUER, subject(space, name), values),
      samples: [
        { subject: subject(space, name), what: words.kubernetes.samples.this },
        { subject: subject(space, "default"), what: words.kubernetes.samples.default },
        { subject: subject("other", name), what: words.kubernetes.samples.other },
      ],
      warnings: [
        ...(account === "default" ? [words.kubernetes.isDefault] : []),
        ...(!issuer && !keys ? [words.kubernetes.issuerOrKeys] : []),
      ],
      command: [
        "kubernetes",
        ...option("namespace", namespace || "NAMESPACE"),
        ...option("service-account", account || "NAME"),
        ...option("issuer", issuer),
        ...(keys ? ["--issuer-keys", "jwks.json"] : []),
      ],
    };
  },
};
