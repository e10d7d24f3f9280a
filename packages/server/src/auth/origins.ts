import { type ExternalGroupRoleMapping, type Identity, isSelfOrBelow } from "@wharf/contract";
import type { Reader } from "../store/db/connection.ts";
import type { StoredSession } from "../store/tables/login/sessions.ts";
import type { Access } from "./access.ts";
import { personOf, Standing } from "./standing.ts";

/** Reason why a role binding or group mapping has no effect. */
export type Obstacle = "deactivated" | "sign-in" | "token scope";

/** A role binding or group mapping: what `Access.find` compiles grants from. */
export interface Origin {
  /** The row of a role binding; 0 for a group mapping. */
  readonly id: number;
  /** The group at and below which it grants the role. */
  readonly scope: string;
  readonly role: string;
  readonly mapping?: ExternalGroupRoleMapping;
  readonly obstacle?: Obstacle | undefined;
}

/** Origins of the grants of one identity, with what keeps them from counting. */
export class Origins {
  readonly #access: Access;
  readonly #reader: Reader;
  readonly #identity: Identity;

  constructor(access: Access, reader: Reader, identity: Identity) {
    this.#access = access;
    this.#reader = reader;
    this.#identity = identity;
  }

  /** Role bindings of the identity, as they count in a session, or without one. */
  async bindings(
    bound: readonly { readonly id: number; readonly group: string; readonly role: string }[],
    session: StoredSession | undefined,
  ): Promise<Origin[]> {
    const standing = await this.#standing(new Set(bound.map(({ group }) => group)), session);
    return bound.map(({ id, group: scope, role }) => {
      return { id, scope, role, obstacle: obstacleAt(standing, scope) };
    });
  }

  /** The group mappings of a session of the identity. At a resource, only those that apply there. */
  async mappings(session: StoredSession, resource?: string): Promise<Origin[]> {
    if (session.identity !== this.#identity.uid) return [];
    const found = (await this.#access.mappingsOf(session, this.#reader)).filter(
      ({ scope }) => resource === undefined || isSelfOrBelow(resource, scope),
    );
    const standing = await this.#standing(new Set(found.map(({ scope }) => scope)), session);
    return found.map((mapping) => {
      const { scope, roleUid: role } = mapping;
      // A sign-in is trusted with the mappings of its own identity provider.
      const obstacle = standing.isActiveAt(scope) ? undefined : "deactivated";
      return { id: 0, scope, role, mapping, obstacle };
    });
  }

  async #standing(
    scopes: ReadonlySet<string>,
    session: StoredSession | undefined,
  ): Promise<Standing> {
    const person = personOf(this.#identity);
    if (person === undefined || scopes.size === 0) return Standing.EVERYWHERE;
    return this.#access.standingOf(this.#reader, person, session, [...scopes]);
  }
}

function obstacleAt(standing: Standing, scope: string): Obstacle | undefined {
  if (!standing.isActiveAt(scope)) return "deactivated";
  return standing.isTrustedAt(scope) ? undefined : "sign-in";
}
