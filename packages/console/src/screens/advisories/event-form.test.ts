import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EventType, eventTexts } from "../../texts/advisories.ts";
import { DETECTION_FIELDS, editedEvent, enteredEvent, foundBy } from "./event-form.ts";
import { severityLevel, typeOf, versionsOf } from "./model.ts";

const text =
  (values: Readonly<Record<string, string>>) =>
  (name: string): string =>
    values[name] ?? "";

describe("the event of a form", () => {
  test("has the content of its type only", () => {
    const values = { fixedVersion: "1.2-r0", note: "n", reason: "x", newLocation: "y" };
    assert.deepEqual(enteredEvent(text({ ...values, type: "fixed" })), {
      fixed: { fixedVersion: "1.2-r0", note: "n" },
    });
    assert.deepEqual(enteredEvent(text({ ...values, type: "fixNotPlanned" })), {
      fixNotPlanned: { note: "n" },
    });
  });

  test("has one version per line", () => {
    const event = enteredEvent(text({ type: "patched", patchedVersions: "1.0\n 1.1 \n\n1.2,1.3" }));
    assert.deepEqual(event.patched?.patchedVersions, ["1.0", "1.1", "1.2", "1.3"]);
  });

  test("of a detection has the fields of its source", () => {
    for (const found of Object.keys(eventTexts.founds) as (keyof typeof DETECTION_FIELDS)[]) {
      const names = DETECTION_FIELDS[found];
      const values = Object.fromEntries(names.map((name) => [name, `the ${name}`]));
      const event = enteredEvent(text({ ...values, type: "detection", found, note: "ignored" }));
      assert.deepEqual(event, { detection: { [found]: values } });
      assert.equal(foundBy(event.detection ?? {}), found);
    }
  });

  test("has an issue and a time only if they are entered", () => {
    const base = { type: "fixNotPlanned" };
    assert.deepEqual(Object.keys(enteredEvent(text(base))), ["fixNotPlanned"]);
    assert.equal(enteredEvent(text({ ...base, time: "soon" })).timestamp, undefined);
    const event = enteredEvent(text({ ...base, issue: "#1", time: "2026-01-02T03:04Z" }));
    assert.deepEqual([event.issue, event.timestamp], ["#1", "2026-01-02T03:04:00.000Z"]);
  });

  test("is of the type that was chosen, for each type", () => {
    for (const type of Object.keys(eventTexts.types) as EventType[]) {
      assert.equal(typeOf(enteredEvent(text({ type, found: "manual" })) as never), type);
    }
  });
});

describe("an edited event", () => {
  const stored = {
    id: "e/1",
    timestamp: "2026-01-01T00:00:00Z",
    status: "REJECTED",
    fixed: { fixedVersion: "1.0", note: "old", extra: "from a scanner" },
  } as never;

  test("is pending again, with its id and time", () => {
    const event = editedEvent(stored, text({ type: "fixed", fixedVersion: "1.1" }));
    assert.deepEqual([event.id, event.status], ["e/1", "PENDING"]);
    assert.equal(event.timestamp, "2026-01-01T00:00:00Z");
  });

  test("keeps fields that the form does not have if its type stays", () => {
    const event = editedEvent(stored, text({ type: "fixed", fixedVersion: "1.1", note: "" }));
    assert.deepEqual(event.fixed, { fixedVersion: "1.1", note: "", extra: "from a scanner" });
  });

  test("loses the content of a former type", () => {
    const event = editedEvent(stored, text({ type: "fixNotPlanned", note: "later" }));
    assert.deepEqual([event.fixed, event.fixNotPlanned], [undefined, { note: "later" }]);
  });

  test("of a detection has one source, not that of before as well", () => {
    const detected = { id: "e/2", detection: { nvdapi: { cpeFound: "cpe" } } } as never;
    const event = editedEvent(detected, text({ type: "detection", found: "manual" }));
    assert.deepEqual(event.detection, { manual: {} });
  });
});

describe("advisories", () => {
  test("have the highest severity with a score", () => {
    const level = (...scores: string[]) => severityLevel(scores.map((score) => ({ score })));
    assert.equal(level(), undefined);
    assert.equal(level("unknown", "CVSS:9.9/x"), undefined);
    assert.equal(level("3.1", "9.8", "7")?.score, 9.8);
    assert.equal(level("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H")?.score, 9.8);
  });

  test("are fixed in the versions of the event", () => {
    assert.deepEqual(versionsOf({ fixed: { fixedVersion: "1" } }), ["1"]);
    assert.deepEqual(versionsOf({ patched: { patchedVersions: ["1", "2"] } }), ["1", "2"]);
    assert.deepEqual(versionsOf({ fixed: { fixedVersion: "" } }), []);
    assert.deepEqual(versionsOf({}), []);
  });
});
