import type { Run } from "../../../command/types.ts";
import { usageError } from "../../../errors.ts";
import type { kubernetesDefinition } from "./commands.ts";
import { makeIdentity } from "./make.ts";
import { nameFrom } from "./name.ts";
import { trustOf } from "./trust.ts";

/** What clusters call themselves unless they were told otherwise. */
const USUAL_ISSUER = "https://kubernetes.default.svc.cluster.local";

export const run: Run<typeof kubernetesDefinition> = async (context, args) => {
  const { namespace, serviceAccount, issuerKeys, parent, role, description } = args;
  if (args.issuer === undefined && issuerKeys === undefined) {
    throw usageError(
      "give --issuer, or --issuer-keys for a cluster that cannot be reached from the server",
      "`kubectl get --raw /openid/v1/jwks` prints the keys",
    );
  }
  for (const [option, text] of Object.entries({
    "--namespace": namespace,
    "--service-account": serviceAccount,
  })) {
    if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text)) {
      throw usageError(`${option} must be a name as Kubernetes has them, not "${text}"`);
    }
  }
  const relationship = trustOf({
    ...args,
    issuer: args.issuer ?? USUAL_ISSUER,
    subject: `system:serviceaccount:${namespace}:${serviceAccount}`,
    subjectPattern: undefined,
  });
  const identity = {
    name: args.name ?? nameFrom("kubernetes", namespace, serviceAccount),
    description: description ?? `Service account ${namespace}/${serviceAccount}`,
    relationship,
  };
  await makeIdentity(context, { parent, roles: role, identity });
};
