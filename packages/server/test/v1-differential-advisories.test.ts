import assert from "node:assert/strict";
import { before } from "node:test";
import { ApiClient, PROTOCOLS, type Protocol } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import type { Facts } from "./support/versions/resources.ts";
import { ABOUT } from "./support/world/advisories.ts";
import { onEachStore } from "./support/world/world.ts";

/** Every type of event, with all that it can say. */
const EVENTS: readonly Facts[] = [
  { detection: { nvdapi: { cpeSearched: "cpe:a", cpeFound: "cpe:b" } } },
  { detection: { manual: {} }, issue: "https://tracker.example/1" },
  {
    detection: {
      scanv1: {
        scanner: "grype",
        subpackageName: "libssl3",
        componentId: "c1",
        componentName: "openssl",
        componentVersion: "3.1.3",
        componentType: "apk",
        componentLocation: "/lib",
        artifactVersion: "3.1.3-r0",
        scannerVersion: "0.70",
        grypeDbBuilt: "2026-03-01",
        grypeDbChecksum: "abc",
      },
    },
    findings: Buffer.from('{"a":1}').toString("base64"),
  },
  { truePositiveDetermination: { note: "so it is" } },
  { falsePositiveDetermination: { type: "INLINE_MITIGATIONS_EXIST", note: "it is not" } },
  { analysisNotPlanned: { note: "too old" } },
  { fixNotPlanned: { note: "too hard" } },
  { pendingUpstreamFix: { note: "they know" } },
  {
    fixed: {
      fixedVersion: "3.1.4-r1",
      note: "at last",
      scannerVersion: "0.71",
      grypeDbBuilt: "2026-03-02",
      grypeDbChecksum: "def",
    },
  },
  { patched: { patchedVersions: ["3.1.4", "3.0.9"], note: "both" } },
  { componentLocationChanged: { previousLocation: "/a", newLocation: "/b", note: "moved" } },
];

/** The facts of version 1 in the words of version 2: all of it, and nothing else. */
function inWordsOfV2(shown: Facts): Facts {
  const { id, createdAt, updatedAt, deletedAt, legacyAdvisoryID, events, ...same } = shown;
  return {
    ...same,
    uid: id,
    createTime: createdAt,
    updateTime: updatedAt,
    ...(deletedAt && { deleteTime: deletedAt }),
    ...(legacyAdvisoryID && { legacyAdvisoryId: legacyAdvisoryID }),
    events: events.map(eventInWordsOfV2),
  };
}

function eventInWordsOfV2({ id, timestamp, status, reviewReason = "", ...same }: Facts): Facts {
  const event: Facts = {
    ...same,
    reviewReason,
    uid: id,
    createTime: timestamp,
    reviewState: `REVIEW_STATE_${status}`,
  };
  const { falsePositiveDetermination, detection } = event;
  if (falsePositiveDetermination) {
    const type = `TYPE_${falsePositiveDetermination.type}`;
    event.falsePositiveDetermination = { ...falsePositiveDetermination, type };
  }
  if (detection?.scanv1) {
    const { subpackageName: subpackage, componentName: component, ...rest } = detection.scanv1;
    event.detection = { scanv1: { ...rest, subpackage, component } };
  }
  return event;
}

/** Only version 2 has the severities of vulnerabilities, and the products, their components and all reviews of events. */
function common({ severities: _, events, ...advisory }: Facts): Facts {
  return { ...advisory, events: events.map(withoutReviews) };
}

function withoutReviews(event: Facts): Facts {
  const { reviews: _, products: _products, subcomponents: _subcomponents, ...rest } = event;
  return rest;
}

onEachStore("both versions of advisories", (world) => {
  let group: string;
  let writer: string;
  let reviewer: string;
  before(async () => {
    group = await world.organization();
    const writes = ["advisories.create", "advisories.update", "advisories.delete"];
    const reviews = ["advisories.list", "advisories.update", "advisories.approve"];
    writer = (await world.member({ [group]: writes })).token;
    reviewer = (await world.member({ [group]: reviews })).token;
  });
  const v1 = (protocol: Protocol, token: string) => {
    return new ApiClient({ protocol, url: world.server.url, token }).v1;
  };

  /** Asks in every way, compares, and answers with what all of them show; undefined for nothing. */
  const seen = async (uid: string, token = reviewer): Promise<Facts | undefined> => {
    const shown: (readonly Facts[])[] = [];
    for (const protocol of PROTOCOLS) {
      const { items } = await v1(protocol, token).advisories.list({ id: uid });
      shown.push(items.map(inWordsOfV2));
      const api = new ApiClient({ protocol, url: world.server.url, token });
      const { advisories } = await api.advisories.list({ uidp: { ids: [uid] } });
      shown.push(advisories.map(common));
      if (advisories.length > 0) shown.push([common(await api.advisories.get(uid))]);
      if (token !== reviewer) continue;
      const events = (await v1(protocol, token).advisoryEvents.list({ parentId: uid })).items.map(
        eventInWordsOfV2,
      );
      const expected = (advisories[0]?.events ?? []).map(withoutReviews);
      assert.deepEqual(events, expected, "one by one");
    }
    for (const each of shown) assert.deepEqual(each, shown[0]);
    return shown[0]?.[0];
  };

  world.rule("advisories created are equal in both versions", async ({ protocol }) => {
    const by = (token: string) => v1(protocol, token);
    const given = { ...ABOUT, legacyAdvisoryID: "OLD-1", events: EVENTS };
    const made = await by(writer).advisories.create(group, given);
    const shown = await seen(made.id);
    assert.deepEqual(shown, inWordsOfV2(made));
    assert.deepEqual({ ...made, ...ABOUT, legacyAdvisoryID: "OLD-1" }, made);
    for (const [at, event] of EVENTS.entries()) {
      assert.deepEqual({ ...made.events[at], ...event }, made.events[at], "all that was said");
    }
    const least = { artifactType: "image", artifactName: "nginx" };
    const plain = await by(writer).advisories.create(group, least);
    assert.deepEqual(await seen(plain.id), inWordsOfV2(plain));
  });

  world.rule("a PUT resets omitted fields", async ({ protocol }) => {
    const by = (token: string) => v1(protocol, token);
    const given = { ...ABOUT, legacyAdvisoryID: "OLD-1", events: [EVENTS[0]] };
    const made = await by(writer).advisories.create(group, given);
    const now = await by(writer).advisories.update(made.id, {
      artifactType: "apk",
      artifactName: "zlib",
    });
    const shown = await seen(made.id);
    assert.deepEqual(shown, inWordsOfV2(now));
    const { legacyAdvisoryID: _, ...kept } = made;
    const reset = { artifactArchitecture: "", componentName: "", componentLocation: "" };
    assert.deepEqual(now, {
      ...{ ...kept, ...reset, componentType: "", aliases: [], artifactName: "zlib" },
      updatedAt: now.updatedAt,
    });
  });

  world.rule(
    "events created, changed and reviewed are equal in both versions",
    async ({ protocol }) => {
      const by = (token: string) => v1(protocol, token);
      const { id } = await by(writer).advisories.create(group, ABOUT);
      for (const event of EVENTS) {
        const added = await by(writer).advisoryEvents.create(id, event);
        const last = (await seen(id))?.events.find((one: Facts) => one.uid === added.id);
        assert.deepEqual(last, eventInWordsOfV2(added));
      }
      const [first, second, third] = (await by(reviewer).advisoryEvents.list({ parentId: id }))
        .items;
      const steps: [token: string, event: Facts, change: Facts, state: string][] = [
        [writer, first, { detection: { manual: {} } }, "PENDING"],
        [reviewer, second, { status: "APPROVED" }, "APPROVED"],
        [reviewer, third, { status: "REQUEST_CHANGES", reviewReason: "why?" }, "REQUEST_CHANGES"],
        [writer, third, { status: "PENDING", issue: "changed" }, "PENDING"],
        [reviewer, third, { status: "REJECTED", issue: "changed" }, "REJECTED"],
      ];
      for (const [token, event, change, state] of steps) {
        const now = await by(token).advisoryEvents.update(event.id, { ...event, ...change });
        assert.equal(now.status, state);
        const shown = (await seen(id))?.events.find((one: Facts) => one.uid === event.id);
        assert.deepEqual(shown, eventInWordsOfV2(now));
      }
    },
  );

  world.rule("advisories deleted are tombstones in both versions", async ({ protocol }) => {
    const by = (token: string) => v1(protocol, token);
    const made = await by(writer).advisories.create(group, { ...ABOUT, events: [EVENTS[1]] });
    await by(writer).advisories.delete(made.id);
    assert.equal(await seen(made.id), undefined);
    for (const other of PROTOCOLS) {
      const api = new ApiClient({ protocol: other, url: world.server.url, token: reviewer });
      const asked = { uidp: { ids: [made.id] }, showDeleted: true };
      const [left] = (await api.advisories.list(asked)).advisories;
      assert.deepEqual(await api.advisories.get(made.id), left);
      const { deleteTime, updateTime, ...rest } = common(left);
      assert.equal(deleteTime, updateTime);
      const { updateTime: _, ...before } = inWordsOfV2(made);
      assert.deepEqual(rest, before);
    }
  });

  world.rule("rejected requests change nothing", async ({ protocol }) => {
    const by = (token: string) => v1(protocol, token);
    const made = await by(writer).advisories.create(group, { ...ABOUT, events: [EVENTS[1]] });
    const before = await seen(made.id);
    const stranger = (await world.member()).token;
    const [event] = made.events;
    const approved = { ...event, status: "APPROVED" };
    const refusals: [code: number, attempt: () => Promise<unknown>][] = [
      [7, () => by(stranger).advisories.update(made.id, ABOUT)],
      [7, () => by(stranger).advisoryEvents.create(made.id, EVENTS[0] as Facts)],
      [7, () => by(writer).advisoryEvents.update(event.id, approved)],
      [7, () => by(stranger).advisories.delete(made.id)],
      [3, () => by(writer).advisories.update(made.id, { artifactType: "apk" })],
      [3, () => by(writer).advisoryEvents.create(made.id, {})],
      [16, () => by("").advisories.delete(made.id)],
    ];
    for (const [code, attempt] of refusals) assert.equal((await rejected(attempt())).code, code);
    assert.deepEqual(await seen(made.id), before);
    assert.equal(await seen(made.id, stranger), undefined, "who may not see sees nothing");
  });
});
