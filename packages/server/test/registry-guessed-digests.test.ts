/**
 * A digest reveals nothing: for the digest of another tenant, a request gets the answer of an unknown one, and the server
 * runs the same statements and file operations for both, so that the time says nothing either.
 */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, mock, test } from "node:test";
import { DiskStorage } from "../src/registry/storage/disk-storage.ts";
import { Connection } from "../src/store/db/postgres/connection.ts";
import { SqliteConnection } from "../src/store/db/sqlite/connection.ts";
import { SqliteReader } from "../src/store/db/sqlite/reader.ts";
import { exposureIsSettled } from "./support/exposure/settled.ts";
import {
  MANIFEST,
  type OciAnswer,
  OciClient,
  type PushedImage,
} from "./support/registry/oci-client.ts";
import type { TestServer } from "./support/server/test-server.ts";
import { onEachStore } from "./support/world/world.ts";

/** Statements about content; others, such as those of the audit log, are shared with other requests. */
const ABOUT_CONTENT = /\b(blobs|blob_links|uploads|upload_parts|manifests|manifest_references)\b/;

/** Runs a request, and records the statements about content and the file operations that it causes. */
async function recorded<R>(
  server: TestServer,
  run: () => Promise<R>,
): Promise<readonly [R, readonly string[]]> {
  // Images that were pushed are read after the response.
  await exposureIsSettled(server);
  const operations: string[] = [];
  const statement = (sql: string) => {
    if (ABOUT_CONTENT.test(sql)) operations.push(sql.replaceAll(/\s+/g, " "));
  };
  const mocks: { restore(): void }[] = [];
  for (const { prototype } of [SqliteConnection, SqliteReader]) {
    for (const name of ["get", "all", "arrays", "run"] as const) {
      const original = prototype[name] as (...args: unknown[]) => never;
      function reporting(this: SqliteConnection, ...args: unknown[]) {
        statement(String(args[0]));
        return original.apply(this, args);
      }
      mocks.push(mock.method(prototype, name, reporting as never).mock);
    }
  }
  const { query } = Connection.prototype;
  function sending(this: Connection, ...args: Parameters<typeof query>) {
    const [sent] = args;
    statement(typeof sent === "string" ? sent : sent.text);
    return query.apply(this, args);
  }
  mocks.push(mock.method(Connection.prototype, "query", sending).mock);
  for (const name of ["read", "sizeOf", "versionOf", "store", "writePart"] as const) {
    const original = DiskStorage.prototype[name] as (...args: unknown[]) => never;
    function touching(this: DiskStorage, ...args: unknown[]) {
      operations.push(`file: ${name}`);
      return original.apply(this, args);
    }
    mocks.push(mock.method(DiskStorage.prototype, name, touching as never).mock);
  }
  try {
    return [await run(), operations];
  } finally {
    for (const one of mocks) one.restore();
  }
}

onEachStore(
  "a guessed digest",
  (world) => {
    let guesser: OciClient;
    let name: string;
    let secret: PushedImage;
    before(async () => {
      const pusher = await world.registry.holder("pusher", "registry.push");
      const owner = new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
      secret = await owner.image("acme/app", "1", "the secret of acme");
      const uid = await world.registry.identity("guesser");
      const other = (await world.http.post("/iam/v2beta1/groups", { name: "other" })).body.uid;
      await world.bind(other, uid, "registry.push");
      name = `${other}/app`;
      guesser = owner.as(`Bearer ${await world.signer.token(uid)}`);
      await guesser.image(name, "1", "their own");
    });

    /** Digests that nobody has, as long as the secret ones. */
    let count = 0;
    const unknown = () => `sha256:${hash("sha256", `unknown ${count++}`, "hex")}`;
    /** The answer without what differs between any two requests. */
    const comparable = ({ status, headers, bytes }: OciAnswer, digest: string) => {
      const { date: _d, location, "docker-upload-uuid": _u, "x-request-id": _r, ...rest } = headers;
      const text = (value: string) =>
        value.replaceAll(digest, "DIGEST").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
      const shown = Object.entries(rest).map(([key, value]) => [key, text(String(value))]);
      return [status, text(location ?? ""), Object.fromEntries(shown), text(bytes.toString())];
    };

    const requests: readonly [string, (digest: string) => Promise<OciAnswer>][] = [
      ["HEAD of a blob", (digest) => guesser.send("HEAD", `/v2/${name}/blobs/${digest}`)],
      ["GET of a blob", (digest) => guesser.get(`/v2/${name}/blobs/${digest}`)],
      [
        "GET of a range",
        (digest) => guesser.get(`/v2/${name}/blobs/${digest}`, { range: "bytes=0-3" }),
      ],
      ["GET of a blob where it is", (digest) => guesser.get(`/v2/acme/app/blobs/${digest}`)],
      ["DELETE of a blob", (digest) => guesser.send("DELETE", `/v2/${name}/blobs/${digest}`)],
      [
        "mount from where it is",
        (digest) =>
          guesser.send("POST", `/v2/${name}/blobs/uploads/?mount=${digest}&from=acme/app`),
      ],
      [
        "mount from an own repository",
        (digest) => guesser.send("POST", `/v2/${name}/blobs/uploads/?mount=${digest}&from=${name}`),
      ],
      [
        "mount without a source",
        (digest) => guesser.send("POST", `/v2/${name}/blobs/uploads/?mount=${digest}`),
      ],
      [
        "manifest that refers to it",
        (digest) =>
          guesser.putManifest(name, "2", {
            ...{ schemaVersion: 2, mediaType: MANIFEST },
            config: { mediaType: "application/vnd.oci.empty.v1+json", digest, size: 2 },
            layers: [{ mediaType: "application/vnd.oci.image.layer.v1.tar", digest, size: 18 }],
          }),
      ],
      ["HEAD of a manifest", (digest) => guesser.send("HEAD", `/v2/${name}/manifests/${digest}`)],
      ["GET of a manifest", (digest) => guesser.get(`/v2/${name}/manifests/${digest}`)],
      [
        "DELETE of a manifest",
        (digest) => guesser.send("DELETE", `/v2/${name}/manifests/${digest}`),
      ],
      ["GET of referrers", (digest) => guesser.get(`/v2/${name}/referrers/${digest}`)],
    ];
    for (const [what, send] of requests) {
      test(`${what} is like that of an unknown one`, async () => {
        // The first request fills the caches for both.
        await send(unknown());
        for (const digest of [secret.layer, secret.config, secret.digest]) {
          const other = unknown();
          const [known, knownOperations] = await recorded(world.server, () => send(digest));
          const [missing, operations] = await recorded(world.server, () => send(other));
          assert.deepEqual(comparable(known, digest), comparable(missing, other));
          assert.deepEqual(knownOperations, operations);
        }
      });
    }

    test("the recorder sees what a request for an own blob does", async () => {
      const own = await guesser.blob(name, "seen");
      const [answer, operations] = await recorded(world.server, () =>
        guesser.get(`/v2/${name}/blobs/${own}`),
      );
      assert.equal(answer.status, 200);
      assert.ok(operations.some((one) => /FROM blob_links/.test(one)));
      assert.ok(operations.includes("file: read"));
    });
  },
  { registry: true, flags: ["--exposure-layers=off"] },
);
