import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { stringify } from "yaml";
import { runs } from "../../../server/test/support/oracle/runs.ts";
import { mutatedBytes, mutatedTree } from "../../test/mutations.ts";
import { randomOf } from "../../test/random-advisories.ts";
import { DISTRO, validDocuments } from "../../test/valid-documents.ts";
import { DocumentError } from "./document-error.ts";
import { linesOf, readDocument } from "./read.ts";
import { problemsOf, readToJson } from "./testing.ts";
import { readYaml } from "./yaml.ts";

const OSV = { id: "A-1", modified: "2026-01-01T00:00:00Z" };

describe("hostile documents", () => {
  test("with NUL or lone surrogates are rejected", () => {
    assert.deepEqual(problemsOf({ ...OSV, summary: "a\0" }), [
      "4:14: summary: has a NUL character",
    ]);
    assert.deepEqual(problemsOf({ ...OSV, summary: "a\ud800" }), [
      "4:14: summary: has a lone surrogate",
    ]);
    assert.deepEqual(problemsOf({ ...OSV, id: "\0" }), ["2:9: id: has a NUL character"]);
  });

  test("in UTF-16 are rejected", () => {
    const bytes = (encoding: BufferEncoding, mark = "") =>
      Buffer.from(mark + JSON.stringify(OSV), encoding);
    const why = /^is UTF-16; expected UTF-8$/;
    for (const one of [bytes("utf16le", "\ufeff"), bytes("utf16le"), bytes("utf16le").swap16()]) {
      assert.throws(() => readDocument(one, { name: "x" }), {
        name: "DocumentError",
        message: why,
      });
    }
    assert.equal(readToJson(`\ufeff${JSON.stringify(OSV)}`).vulnerabilities[0].id, "A-1");
  });

  test("with other line endings are read", () => {
    assert.deepEqual(readToJson(DISTRO.replaceAll("\n", "\r\n")), readToJson(DISTRO));
    const json = JSON.stringify(OSV, null, 2);
    assert.deepEqual(readToJson(json.replaceAll("\n", "\r\n")), readToJson(json));
  });

  test("with invalid times are rejected", () => {
    const times = [
      ...["2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+00:60", "9999-12-31T23:59:59-00:01"],
      ...["0000-01-01T00:00:00Z", "2026-02-29T00:00:00Z", "+12026-01-01T00:00:00Z", "1e9"],
    ];
    for (const modified of times) {
      assert.match(
        problemsOf({ ...OSV, modified })[0] as string,
        /^3:15: modified: must be a time/,
      );
    }
    assert.match(problemsOf('{"id":"x","modified":1e999}')[0] as string, /text, not a number/);
  });

  test("cannot set a prototype", () => {
    const text = `{"__proto__": {"id": "x"}, "constructor": 1, "id": "A-1", "modified": "${OSV.modified}"}`;
    assert.equal(readToJson(text).vulnerabilities[0].id, "A-1");
    assert.equal(({} as { id?: string }).id, undefined);
    const own = { ...OSV, database_specific: { wharf: JSON.parse('{"__proto__": {"uid": "x"}}') } };
    assert.match(problemsOf(own).join(), /advisoryId: must be the document's id/);
  });

  test("with CVSS vectors that provoke backtracking are rejected", () => {
    const score = `A:${"AAA:".repeat(250)}!`;
    assert.match(
      problemsOf({ ...OSV, severity: [{ type: "CVSS_V2", score }] })[0] as string,
      /severity\[0\]\.score: must be a CVSS vector of its type, or a number, not "A:AAA:/,
    );
    const vectors = ["AV:N/AC:L/Au:N/C:P/I:P/A:P", "AV:N/AC:L/Au:N/C:P/I:P/A:P/"];
    const severity = vectors.map((vector) => ({ type: "CVSS_V2", score: vector }));
    assert.equal(readToJson({ ...OSV, severity }).vulnerabilities[0].severities.length, 2);
  });

  test("with exponential YAML aliases are rejected", () => {
    const laughs = ["a: &a [x, x]", "b: &b [*a, *a]", "c: &c [*b, *b]"].join("\n");
    assert.deepEqual(problemsOf(laughs), ["2:8: has an alias, *a; aliases are not supported"]);
    assert.deepEqual(problemsOf("a: &a {b: 1}\nc:\n  <<: *a"), [
      "3:7: has an alias, *a; aliases are not supported",
    ]);
  });

  test("of Wharf that lack fields are rejected with their paths", () => {
    const wharf = { advisoryId: "A-1", events: [{ fixed: {} }, { createTime: OSV.modified }] };
    assert.deepEqual(
      problemsOf({ ...OSV, database_specific: { wharf } }).map((line) =>
        line.replace(/^[0-9:]+ /, ""),
      ),
      [
        "database_specific.wharf.artifactName: is missing",
        "database_specific.wharf.artifactType: is missing",
        "database_specific.wharf.events[0].createTime: is missing",
        "database_specific.wharf.events[1]: has no event type",
      ],
    );
  });
});

/** Asserts that any input is either read into complete advisories, or rejected with reasons. */
function tryReading(bytes: Uint8Array): void {
  try {
    for (const { advisoryId, artifactName, events } of readDocument(bytes, { name: "x" })
      .advisories) {
      assert.ok(advisoryId !== "" && artifactName !== "");
      // Documents may give no time: the import does then.
      for (const { type } of events) assert.ok(type.case);
    }
    linesOf(bytes, ["advisories[0].events[0].type", "advisories[99]"]);
  } catch (thrown) {
    assert.ok(thrown instanceof DocumentError, `${(thrown as Error).stack}\n${Buffer.from(bytes)}`);
    for (const { reason, path, line } of thrown.problems) {
      assert.notEqual(reason, "");
      // A problem of a field has a position.
      assert.ok(path === "" || (line ?? 0) > 0, thrown.message);
    }
  }
}

describe("mutations of valid documents are read or rejected", () => {
  test("with other values", async () => {
    const random = randomOf(11);
    const trees = [...(await validDocuments()), readYaml(DISTRO).value];
    for (let round = 0; round < runs(60, 500); round++) {
      const tree = mutatedTree(trees[round % trees.length], random);
      tryReading(Buffer.from(JSON.stringify(tree)));
      if (round % 10 === 0)
        tryReading(Buffer.from(stringify(tree, { aliasDuplicateObjects: false })));
    }
  });

  test("with other bytes", async () => {
    const random = randomOf(12);
    const texts = [
      DISTRO,
      ...(await validDocuments()).map((tree) => JSON.stringify(tree, null, 1)),
    ];
    for (let round = 0; round < runs(100, 1_000); round++) {
      const text = texts[round % 2 === 0 ? 0 : round % texts.length] as string;
      tryReading(mutatedBytes(Buffer.from(text), random));
    }
  });
});
