import {
  type AccountAssociation,
  AccountAssociationSchema,
  AccountAssociationsService,
  parentOf,
  ServicePrincipal,
} from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { type FieldViolation, invalidArgument } from "../lib/errors.ts";

/** Account associations: the accounts of a group at cloud providers; at most one per group, under its uid. */
export const accountAssociations: Resource<AccountAssociation> = new Resource({
  service: AccountAssociationsService,
  schema: AccountAssociationSchema,
  table: "account_associations",
  tree: { uidIsParent: true },
  deleteIsIdempotent: true,
  index: { filters: [{ field: "name", column: "name", type: "common" }] },
  hooks: {
    beforeCreate: (mutation, created) => check(mutation, created, {}),
    beforeUpdate: (mutation, before, after) => check(mutation, after, serviceBindings(before)),
  },
});

type Bindings = Readonly<Record<string, string>>;

function serviceBindings({ chainguard }: AccountAssociation): Bindings {
  return chainguard?.serviceBindings ?? {};
}

/** Checks what the validation rules of the contract cannot express. */
async function check(
  mutation: Mutation,
  after: AccountAssociation,
  before: Bindings,
): Promise<void> {
  const found = [
    ...installationViolations(after),
    ...(await bindingViolations(mutation, after, before)),
  ];
  if (found.length > 0) throw invalidArgument(...found);
}

function* installationViolations({ github }: AccountAssociation): Iterable<FieldViolation> {
  const at = "github.appInstallations";
  for (const [app, { installations }] of Object.entries(github?.appInstallations ?? {})) {
    if (BigInt(app) <= 0n) yield { field: at, description: "the ids of apps must be positive" };
    for (const [index, { installationId }] of installations.entries()) {
      if (installationId > 0n) continue;
      const field = `${at}[${app}].installations[${index}].installationId`;
      yield { field, description: "installationId must be positive" };
    }
  }
}

/**
 * A service can be bound only to a service principal identity of its own, in the same group. No other capabilities are
 * required: binding grants the identity nothing new. Unchanged bindings are not checked again, so that a deleted
 * identity does not block other changes.
 */
async function bindingViolations(
  { deps, tx }: Mutation,
  after: AccountAssociation,
  before: Bindings,
): Promise<FieldViolation[]> {
  const bindings = serviceBindings(after);
  const found: FieldViolation[] = [];
  const services = new Set<ServicePrincipal>();
  for (const [name, uid] of Object.entries(bindings)) {
    const reject = (description: string) =>
      found.push({ field: `chainguard.serviceBindings[${name}]`, description });
    const service = serviceNamed(name);
    if (service === undefined) {
      reject(`the key must be one of ${SERVICE_NAMES.join(", ")}`);
      continue;
    }
    if (services.has(service)) reject("the service is bound twice");
    services.add(service);
    if (before[name] === uid) continue;
    const here = parentOf(uid) === after.uid;
    const identity = here ? await deps.catalog.identities.find(tx, uid) : undefined;
    if (identity === undefined) reject("must be the uid of an identity directly below the group");
    else if (identity.relationship.case !== "servicePrincipal") {
      reject("must be the uid of a service principal identity");
    } else if (identity.relationship.value !== service) {
      reject(`the identity is for ${ServicePrincipal[identity.relationship.value]}`);
    }
  }
  return found;
}

const SERVICE_NAMES = Object.values(ServicePrincipal).filter(
  (name): name is keyof typeof ServicePrincipal =>
    typeof name === "string" && name !== "UNSPECIFIED",
);

/** The enum value of a name, with or without the enum's prefix. */
function serviceNamed(name: string): ServicePrincipal | undefined {
  const short = SERVICE_NAMES.find((one) => name === one || name === `SERVICE_PRINCIPAL_${one}`);
  return short && ServicePrincipal[short];
}
