import { CapabilitySet, parentOf } from "@wharf/contract";
import { OPERATOR, OPERATOR_UID } from "../auth/caller.ts";
import { Grants } from "../auth/grants.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * What an identity's role bindings grant it; undefined when there is no such identity.
 *
 * @example const grants = await grantsOf(engine, identity);
 */
export async function grantsOf(
  { store, identities, roles, roleBindings }: Engine,
  identity: string,
) {
  if (identity === OPERATOR_UID) return OPERATOR.grants;
  const { reader } = store;
  if ((await identities.table.find(reader, identity, "data")) === undefined) return undefined;
  const bindings = await roleBindings.where(reader, { column: "identity_uid", value: identity });
  const bound = await roles.findMany(
    reader,
    bindings.map((binding) => binding.roleUid),
  );
  return Grants.at(
    bindings.map((binding) => {
      const capabilities = bound.get(binding.roleUid)?.capabilities ?? [];
      return [parentOf(binding.uid), CapabilitySet.of(...capabilities)] as const;
    }),
  );
}
