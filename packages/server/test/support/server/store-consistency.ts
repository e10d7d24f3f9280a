/** Checks that all that is stored agrees with itself. */
import assert from "node:assert/strict";
import { type DescMessage, equals, fromBinary, fromJson, type Message } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { RESOURCES } from "../../../src/app/resources.ts";
import type { ResourceDefinition, ResourceMessage } from "../../../src/engine/definition.ts";
import type { Reader } from "../../../src/store/db/connection.ts";
import { placeOf } from "../oracle/access-model.ts";

interface Row {
  readonly uid: string;
  readonly parent: string;
  readonly root: string;
  readonly name: string;
  readonly created: number;
  readonly updated: number;
  readonly part?: number;
  readonly data: Uint8Array;
  readonly json: string;
}

interface Count {
  readonly uid: string;
  readonly kind: string;
  readonly children: number;
  readonly descendants: number;
}

interface Table {
  readonly name: string;
  readonly schema: DescMessage;
  readonly rows: readonly Row[];
  readonly nameOf: ((resource: ResourceMessage) => string) | undefined;
  readonly uidIsParent: boolean;
  /** Whether every answer says more than what is stored. */
  readonly isFilledIn: boolean;
}

/**
 * Looks at everything that is stored and checks that it agrees with itself: counts with rows, rows
 * with their parents and with what they refer to, columns and JSON with the resource itself.
 *
 * @example await checkRows(inside.store.reader);
 */
export async function checkRows(reader: Reader): Promise<void> {
  const tables: Table[] = [];
  for (const { definition, tree } of Object.values(RESOURCES)) {
    const rows = await reader.all<Row>(`SELECT * FROM ${definition.table}`);
    const {
      table: name,
      schema,
      index,
      hydrate,
      storesJson,
    } = definition as unknown as ResourceDefinition<ResourceMessage>;
    const { uidIsParent } = tree;
    const isFilledIn = hydrate !== undefined && !storesJson;
    tables.push({ name, schema, rows, nameOf: index?.nameOf, uidIsParent, isFilledIn });
  }
  for (const table of tables) for (const row of table.rows) checkRow(table, row);
  const uids = (name: string) => new Set(rowsOf(tables, name).map((row) => row.uid));
  const places = uids("groups").union(uids("identity_providers")).union(uids("repos"));
  checkParents(tables, places);
  await checkReferences(reader, uids("identities"), uids("roles"));
  await checkCounts(reader, tables, places);
}

function rowsOf(tables: readonly Table[], name: string): readonly Row[] {
  return tables.find((table) => table.name === name)?.rows ?? [];
}

function checkRow(table: Table, row: Row): void {
  const { name, schema, nameOf, uidIsParent, isFilledIn } = table;
  const message = fromBinary(schema, row.data) as ResourceMessage;
  const about = `${name} ${row.uid}`;
  assert.equal(message.uid, row.uid, about);
  const parent = uidIsParent ? row.uid : placeOf(row.uid);
  assert.equal(row.parent, parent, about);
  assert.equal(row.root, row.uid.split("/")[0], about);
  assert.equal(row.name, nameOf?.(message) ?? message.name ?? "", about);
  assert.equal(row.created, message.createTime && timestampMs(message.createTime), about);
  assert.equal(row.updated, message.updateTime && timestampMs(message.updateTime), about);
  if (isFilledIn) {
    assert.equal(row.json, "", `${about} is never answered as it is stored`);
    return;
  }
  const json = JSON.parse(row.json);
  assert.ok(equals(schema, fromJson(schema, json) as Message, message), `the JSON of ${about}`);
  assert.equal(json.createTime, new Date(row.created).toISOString(), about);
}

function checkParents(tables: readonly Table[], places: ReadonlySet<string>): void {
  for (const { name, rows } of tables) {
    const orphans = rows.filter(({ parent }) => parent !== "" && !places.has(parent));
    assert.deepEqual(
      orphans.map(({ uid }) => uid),
      [],
      `${name} without a parent`,
    );
  }
}

async function checkReferences(
  reader: Reader,
  identities: ReadonlySet<string>,
  roles: ReadonlySet<string>,
): Promise<void> {
  const sql = "SELECT uid, identity_uid, role_uid FROM role_bindings";
  for (const row of await reader.all<Record<string, string>>(sql)) {
    assert.ok(identities.has(row.identity_uid as string), `${row.uid} binds nobody`);
    assert.ok(roles.has(row.role_uid as string), `${row.uid} binds to no role`);
  }
}

async function checkCounts(
  reader: Reader,
  tables: readonly Table[],
  places: ReadonlySet<string>,
): Promise<void> {
  const wanted = new Map<string, [children: number, descendants: number]>();
  for (const { name, rows } of tables) {
    for (const { parent, part } of rows) {
      const kind = part === undefined ? name : `${name}/${part}`;
      for (let place = parent; ; place = placeOf(place)) {
        const key = `${kind} at ${place}`;
        const [children, descendants] = wanted.get(key) ?? [0, 0];
        wanted.set(key, [children + (place === parent ? 1 : 0), descendants + 1]);
        if (place === "") break;
      }
    }
  }
  const counts = await reader.all<Count>("SELECT uid, kind, children, descendants FROM counts");
  for (const { uid, kind, children, descendants } of counts) {
    const key = `${kind} at ${uid}`;
    assert.deepEqual([children, descendants], wanted.get(key) ?? [0, 0], key);
    assert.ok(uid === "" || places.has(uid), `${key} is counted where nothing is`);
    wanted.delete(key);
  }
  assert.deepEqual([...wanted.keys()], [], "not counted at all");
}
