import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  Capability,
  CapabilitySet,
  newChildUid,
  newRootUid,
  RoleBindingSchema,
  RoleSchema,
} from "@wharf/contract";
import fc from "fast-check";
import { RESOURCES } from "../src/app/resources.ts";
import { BindingGrants } from "../src/auth/binding-grants.ts";
import type { Grants } from "../src/auth/grants.ts";
import { roleBindings } from "../src/iam/role-bindings.ts";
import { roles } from "../src/iam/roles.ts";
import { TimeSlices } from "../src/lib/scheduling/time-slices.ts";
import type { Reader, Value } from "../src/store/db/connection.ts";
import { openStore } from "../src/store/db/open.ts";
import type { Store } from "../src/store/db/store.ts";
import { FIXED } from "./support/oracle/random.ts";
import { runs, usualTest } from "./support/oracle/runs.ts";
import { newDatabase } from "./support/server/postgres.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES } from "./support/server/test-server.ts";

const A = newRootUid();
const B = newRootUid();
const SCOPES = [A, `${A}/${"1".repeat(16)}`, B, `${B}/${"2".repeat(16)}/${"3".repeat(16)}`];
const IDENTITIES = [newRootUid(), newChildUid(A), newChildUid(B)];
/** A role that every organization can use, and one of each organization. */
const ROLES = [newRootUid(), newChildUid(A), newChildUid(B)];
const CAPABILITIES = [
  Capability.CAP_IAM_GROUPS_LIST,
  Capability.CAP_REPO_LIST,
  Capability.CAP_TAG_LIST,
];

/** Passes reads on, and keeps which roots of role bindings were read. */
class CountingReader implements Reader {
  readonly dialect: Reader["dialect"];
  readonly #reader: Reader;
  bindingReads: Value[][] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
    this.dialect = reader.dialect;
  }

  get<R extends object>(sql: string, ...params: Value[]): Promise<R | undefined> {
    return this.#reader.get<R>(sql, ...params);
  }

  all<R extends object>(sql: string, ...params: Value[]): Promise<R[]> {
    return this.#reader.all<R>(sql, ...params);
  }

  async arrays<R extends readonly Value[]>(sql: string, ...params: Value[]): Promise<R[]> {
    if (sql.includes("role_bindings")) this.bindingReads.push(params);
    return this.#reader.arrays<R>(sql, ...params);
  }
}

for (const kind of STORES) {
  describe(`grants of role bindings (${kind})`, () => {
    /** One writes, as another replica would; the grants are compiled from the other. */
    let writing: Store;
    let reading: Store;
    let reader: CountingReader;
    let grants: BindingGrants;
    let folder = "";

    const compiler = (from: Reader, slices?: TimeSlices) => {
      const capabilitiesOf = async (uids: readonly string[]) => {
        const found = await roles.findMany(from, uids);
        return new Map(
          [...found].map(([uid, role]) => [uid, CapabilitySet.of(...role.capabilities)]),
        );
      };
      return new BindingGrants(from, capabilitiesOf, slices);
    };
    const held = (of: Grants) => [...of.entries].map(([uid, set]) => [uid, set.toArray()]).sort();
    const isCurrent = async (identity: string) => {
      const now = held(await compiler(writing.reader).of(identity));
      assert.deepEqual(held(await grants.of(identity)), now);
    };
    const bind = async (identityUid: string, group: string, roleUid = ROLES[0] as string) => {
      const time = timestampFromMs(1);
      const uid = newChildUid(group);
      const times = { createTime: time, updateTime: time };
      const binding = create(RoleBindingSchema, { uid, identityUid, roleUid, ...times });
      await writing.write((tx) => roleBindings.table.insert(tx, roleBindings.toRow(binding)));
      return binding;
    };
    const storeRole = (uid: string, capabilities: Capability[]) =>
      writing.write(async (tx) => {
        const time = timestampFromMs(1);
        const times = { createTime: time, updateTime: time };
        const row = roles.toRow(create(RoleSchema, { uid, name: "r", capabilities, ...times }));
        if (!(await roles.table.insert(tx, row))) await roles.table.update(tx, row);
      });

    before(async () => {
      folder = scratchFolder("wharf-grants-");
      const databaseUrl = kind === "postgres" ? await newDatabase() : "";
      const tables = Object.values(RESOURCES).map((resource) => resource.table);
      const open = () =>
        openStore({ data: folder, databaseUrl, secretKeyFile: "" }, tables, { committed() {} });
      writing = await open();
      reading = await open();
      for (const role of ROLES) await storeRole(role, [Capability.CAP_IAM_GROUPS_LIST]);
      reader = new CountingReader(reading.reader);
      grants = compiler(reader);
    });
    after(async () => {
      await writing.close();
      await reading.close();
      rmSync(folder, { recursive: true });
    });

    usualTest("changes for other identities recompile nothing", async () => {
      const [one, other] = [newRootUid(), newRootUid()];
      await bind(one, A);
      await bind(one, B);
      await isCurrent(one);
      reader.bindingReads = [];
      await bind(other, A);
      await writing.write(async (tx) => tx.accessChanged());
      await storeRole(newChildUid(newRootUid()), []);
      await isCurrent(one);
      assert.deepEqual(reader.bindingReads, []);
    });

    usualTest("a change recompiles one organization of one identity", async () => {
      const one = newRootUid();
      await bind(one, A);
      await bind(one, B);
      await isCurrent(one);
      reader.bindingReads = [];
      await bind(one, SCOPES[3] as string, ROLES[2]);
      await isCurrent(one);
      assert.deepEqual(
        reader.bindingReads.map(([identity, root]) => [identity, root]),
        [[one, B]],
      );
      reader.bindingReads = [];
      await storeRole(ROLES[2] as string, [Capability.CAP_TAG_LIST]);
      await isCurrent(one);
      assert.deepEqual(
        reader.bindingReads.map(([identity, root]) => [identity, root]),
        [[one, B]],
      );
    });

    usualTest("changes missing from or pruned from the change log are seen", async () => {
      const one = newRootUid();
      const binding = await bind(one, A);
      await isCurrent(one);
      await writing.write(async (tx) => {
        await tx.run("DELETE FROM role_bindings WHERE uid = ?", binding.uid);
        await tx.run("UPDATE access_version SET version = version + 1");
      });
      assert.deepEqual(held(await grants.of(one)), []);
      const again = await bind(one, A);
      await isCurrent(one);
      await writing.write(async (tx) => {
        await tx.run("DELETE FROM role_bindings WHERE uid = ?", again.uid);
        await tx.run("DELETE FROM grant_changes");
        const sql = "UPDATE access_version SET version = version + ?, logged = logged + ?";
        await tx.run(sql, 10_000, 10_000);
      });
      assert.deepEqual(held(await grants.of(one)), []);
    });

    usualTest(
      "many bindings are compiled in slices without missing concurrent changes",
      async () => {
        const one = newRootUid();
        const many = Array.from({ length: 2_100 }, () => newChildUid(A));
        await writing.write(async (tx) => {
          for (const group of many) {
            const binding = {
              uid: newChildUid(group),
              identityUid: one,
              roleUid: ROLES[0] as string,
            };
            await roleBindings.table.insert(
              tx,
              roleBindings.toRow(create(RoleBindingSchema, binding)),
            );
          }
        });
        let ticks = 0;
        const counting = () => {
          ticks += 1;
          next = setImmediate(counting);
        };
        let next = setImmediate(counting);
        const sliced = compiler(reader, new TimeSlices(0));
        const before = sliced.of(one);
        await new Promise((resolve) => setImmediate(resolve));
        const added = await bind(one, B);
        const after = sliced.of(one);
        assert.ok([many.length, many.length + 1].includes(held(await before).length));
        assert.equal(held(await after).length, many.length + 1, "who asks after a change sees it");
        clearImmediate(next);
        assert.ok(ticks >= 3, "each page gave way");
        await writing.write((tx) => roleBindings.table.delete(tx, added.uid));
        assert.equal(held(await sliced.of(one)).length, many.length);
      },
    );

    test("after any sequence of changes, compiled grants equal those of the store", async () => {
      const bound: { uid: string }[] = [];
      const pick = <T>(all: readonly T[], number: number) => all[number % all.length] as T;
      const step = fc.tuple(fc.nat(4), fc.nat(), fc.nat(), fc.nat());
      const run = async ([action, first, second, third]: [number, number, number, number]) => {
        const scope = pick(SCOPES, second);
        const role = pick([ROLES[0], scope.startsWith(A) ? ROLES[1] : ROLES[2]] as string[], third);
        if (action <= 1) bound.push(await bind(pick(IDENTITIES, first), scope, role));
        const known = pick(bound, first);
        if (action === 2 && known !== undefined) {
          const row = await roleBindings.find(writing.reader, known.uid);
          if (row === undefined) return;
          row.identityUid = pick(IDENTITIES, second);
          await writing.write((tx) => roleBindings.table.update(tx, roleBindings.toRow(row)));
        }
        if (action === 3 && known !== undefined) {
          await writing.write((tx) => roleBindings.table.delete(tx, known.uid));
        }
        if (action === 4) await storeRole(pick(ROLES, first), [pick(CAPABILITIES, second)]);
      };
      const property = fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const one of steps) {
          await run(one);
          await isCurrent(pick(IDENTITIES, one[3]));
        }
        for (const identity of IDENTITIES) await isCurrent(identity);
      });
      await fc.assert(property, { ...FIXED, numRuns: runs(3, 8) });
    });
  });
}
