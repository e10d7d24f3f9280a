import type { Dialect } from "./connection.ts";

/**
 * The tables that are not resources, step by step. A step that has been released is never edited:
 * what changes later is a new step. Resource tables follow from their definitions (resource-table.ts).
 */
export function migrations({ id, text, integer }: Dialect): readonly (readonly string[])[] {
  return [
    [
      `CREATE TABLE counts (
        uid ${text} NOT NULL, kind ${text} NOT NULL,
        children ${integer} NOT NULL, descendants ${integer} NOT NULL, changes ${integer} NOT NULL,
        PRIMARY KEY (uid, kind))`,
      `CREATE TABLE access_version (version ${integer} NOT NULL)`,
      `INSERT INTO access_version (version) VALUES (1)`,
      `CREATE TABLE signing_keys (
        kid ${text} PRIMARY KEY, private_jwk ${text} NOT NULL,
        created ${integer} NOT NULL, retires ${integer})`,
      `CREATE TABLE installation (name ${text} PRIMARY KEY, value ${text} NOT NULL)`,
      `CREATE TABLE audit (
        id ${id}, time ${integer} NOT NULL, actor ${text} NOT NULL, method ${text} NOT NULL,
        resource ${text} NOT NULL, request_id ${text} NOT NULL, remote_address ${text} NOT NULL,
        user_agent ${text} NOT NULL, code ${integer} NOT NULL, detail ${text} NOT NULL)`,
      `CREATE TABLE events (
        id ${id}, event_id ${text} NOT NULL, time ${integer} NOT NULL, type ${text} NOT NULL,
        subject ${text} NOT NULL, group_uid ${text} NOT NULL, actor ${text} NOT NULL,
        body_type ${text} NOT NULL, body ${text} NOT NULL)`,
    ],
  ];
}
