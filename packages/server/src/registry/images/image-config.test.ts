import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "./image-config.ts";

const read = (text: string) => readConfig(Buffer.from(text));

test("an OCI image configuration is parsed", () => {
  const config = {
    User: "65532",
    ExposedPorts: { "8080/tcp": {}, "443/tcp": {} },
    Env: ["A=b"],
    Entrypoint: ["/app"],
    Cmd: ["run"],
    Volumes: { "/data": {} },
    WorkingDir: "/work",
    Labels: { title: "app" },
    StopSignal: "SIGTERM",
  };
  const { $typeName: _, ...fields } = read(JSON.stringify({ config }));
  assert.deepEqual(fields, {
    user: "65532",
    exposedPorts: ["443/tcp", "8080/tcp"],
    env: ["A=b"],
    entrypoint: ["/app"],
    cmd: ["run"],
    volumes: ["/data"],
    workingDir: "/work",
    labels: { title: "app" },
    stopSignal: "SIGTERM",
    architecture: "",
  });
});

test("malformed fields count as missing", () => {
  const malformed = {
    User: 7,
    Env: "A=b",
    Entrypoint: [1, "/app"],
    Labels: { a: 1, b: "c" },
    Volumes: 1,
  };
  const config = read(JSON.stringify({ config: malformed }));
  assert.deepEqual([config.user, config.env, config.entrypoint], ["", [], ["/app"]]);
  assert.deepEqual([config.labels, config.volumes], [{ b: "c" }, []]);
  for (const text of ["", "null", "[]", "no JSON", '{"config":null}', '{"config":[1]}']) {
    assert.equal(read(text).user, "", text);
  }
  const hostile = read('{"config":{"Labels":{"__proto__":"x","constructor":"y"}}}');
  assert.equal(Object.getPrototypeOf(hostile.labels), Object.prototype);
  assert.equal(hostile.labels.constructor, "y");
});
