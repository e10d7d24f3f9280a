import type { ApiClient } from "../support/client/api-client.ts";
import { ApiError } from "../support/client/api-error.ts";
import { type ErrorText, type Ground, invalid, plain } from "./table.ts";

const ABOUT = { artifactType: "apk", artifactName: "openssl" };
const FIXED = { createTime: "2026-01-01T00:00:00Z", fixed: { fixedVersion: "1" } };
const FUTURE = "2999-01-01T00:00:00Z";

/**
 * Imports a document of two advisories, the second of which is invalid. The violations of the document,
 * which do not fail the request, are thrown as an error.
 */
async function importInto(api: ApiClient, group: string, more: object): Promise<void> {
  const advisories = [
    { advisoryId: "CGA-1", ...ABOUT },
    { advisoryId: "CGA-2", ...ABOUT, ...more },
  ];
  const { results } = await api.advisoryImports.importAdvisories({
    parent: group,
    documents: [{ name: "x", advisories }],
  });
  const fieldViolations: { field: string; description: string }[] = results[0].refusals;
  if (fieldViolations.length === 0) return;
  const texts = fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  throw new ApiError(3, `Invalid argument: ${texts.join("; ")}`, [
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations },
  ]);
}
const imported =
  (more: object): ErrorText[1] =>
  async ({ api, world, org }) =>
    importInto(api, await world.group(org), more);
const many = (count: number, event: object = {}) =>
  Array.from({ length: count }, (_, at) => ({
    ...FIXED,
    createTime: new Date(1_700_000_000_000 + at).toISOString(),
    ...event,
  }));

async function advisory({ api, world, org }: Ground): Promise<[ApiClient["advisories"], string]> {
  const v1 = api.v1.advisories;
  return [v1, (await v1.create(await world.group(org), ABOUT)).id];
}

/** Errors of imported documents, which do not fail the request. */
export const DOCUMENTS: readonly ErrorText[] = [
  [
    "an id has control characters",
    imported({ advisoryId: "CGA\0" }),
    invalid({ "advisories[1].advisoryId": "advisoryId must not contain the character NUL" }),
  ],
  [
    "an id is missing",
    imported({ advisoryId: "" }),
    invalid({ "advisories[1].advisoryId": "advisoryId is required" }),
  ],
  [
    "an id occurs twice in a document",
    imported({ advisoryId: "CGA-1" }),
    invalid({ "advisories[1].advisoryId": "advisoryId must differ from advisories[0].advisoryId" }),
  ],
  [
    "an id is too long",
    imported({ advisoryId: "x".repeat(257) }),
    invalid({ "advisories[1].advisoryId": "advisoryId must have at most 256 characters" }),
  ],
  [
    "an artifact has no name",
    imported({ artifactName: "" }),
    invalid({ "advisories[1].artifactName": "artifactName is required" }),
  ],
  [
    "a time is in the future",
    imported({ createTime: FUTURE }),
    invalid({ "advisories[1].createTime": "createTime must not be in the future" }),
  ],
  [
    "there are too many aliases",
    imported({ aliases: new Array(2_001).fill("CVE") }),
    invalid({ "advisories[1].aliases": "aliases must have at most 2000 entries" }),
  ],
  [
    "there are too many events",
    imported({ events: many(1_001) }),
    invalid({ "advisories[1].events": "events must have at most 1000 entries" }),
  ],
  [
    "an event is in the future",
    imported({ events: [{ ...FIXED, createTime: FUTURE }] }),
    invalid({ "advisories[1].events[0].createTime": "createTime must not be in the future" }),
  ],
  [
    "an event has no type",
    imported({ events: [{ createTime: FIXED.createTime }] }),
    invalid({
      "advisories[1].events[0].type": "the event must have a type, such as detection or fixed",
    }),
  ],
  [
    "a note is too long",
    imported({ events: [{ ...FIXED, fixed: { note: "x".repeat(4_097) } }] }),
    invalid({ "advisories[1].events[0].fixed.note": "note must have at most 4096 characters" }),
  ],
  [
    "events are too long",
    imported({ events: many(70, { issue: "x".repeat(4_000) }) }),
    invalid({
      "advisories[1].events":
        "events would be longer than 262144 characters, including the stored ones",
    }),
  ],
  [
    "there are too many events, including the stored ones",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await importInto(api, group, { events: many(1_000) });
      await importInto(api, group, { events: [FIXED] });
    },
    invalid({
      "advisories[1].events": "events would be more than 1000, including the stored ones",
    }),
  ],
];

/** Errors of advisories, imports and reviews. */
export const ADVISORIES: readonly ErrorText[] = [
  [
    "an advisory does not exist",
    ({ api, org }) => api.advisories.get(`${org}/0123456789abcdef`),
    plain("NOT_FOUND", 'Advisory "{uid}" does not exist'),
  ],
  [
    "a vulnerability id has too many records",
    async ({ api, world, org }) => {
      const vulnerabilities = Array.from({ length: 201 }, (_, at) => ({
        id: `OSV-${at}`,
        aliases: ["CVE-1"],
        updateTime: FIXED.createTime,
      }));
      await api.advisoryImports.importAdvisories({
        parent: await world.group(org),
        documents: [{ name: "x", vulnerabilities }],
      });
    },
    invalid({ documents: "more than 200 vulnerabilities would have the name CVE-1" }),
  ],
  [
    "a new advisory has no artifact",
    async ({ api, org }) => api.v1.advisories.create(org, {}),
    invalid({
      "advisory.artifactType": "artifactType is required",
      "advisory.artifactName": "artifactName is required",
    }),
  ],
  [
    "an advisory id exists",
    async ({ api, world, org }) => {
      const [v1, group] = [api.v1.advisories, await world.group(org)];
      await v1.create(group, { ...ABOUT, advisoryId: "CGA-1" });
      await v1.create(group, { ...ABOUT, advisoryId: "CGA-1" });
    },
    plain("ALREADY_EXISTS", 'Advisory "CGA-1" exists'),
  ],
  [
    "an advisory id is changed",
    async (ground) => {
      const [v1, id] = await advisory(ground);
      await v1.update(id, { ...ABOUT, advisoryId: "CGA-9" });
    },
    invalid({ advisoryId: "advisoryId cannot be changed" }),
  ],
  [
    "an event is created as reviewed",
    async (ground) => {
      const [v1, id] = await advisory(ground);
      await v1.createAdvisoryEvent({
        parentId: id,
        advisoryEvent: { fixed: { fixedVersion: "1" }, status: "APPROVED" },
      });
    },
    invalid({
      "advisoryEvent.status": "status must be PENDING: create the event first, then review it",
    }),
  ],
  [
    "an event has no type",
    async (ground) => {
      const [v1, id] = await advisory(ground);
      await v1.createAdvisoryEvent({ parentId: id, advisoryEvent: {} });
    },
    invalid({ "advisoryEvent.type": "the event must have a type, such as detection or fixed" }),
  ],
  [
    "an event makes the events too long",
    async (ground) => {
      const [v1, id] = await advisory(ground);
      const findings = Buffer.alloc(60_000, "x").toString("base64");
      for (let at = 0; at < 5; at++)
        await v1.createAdvisoryEvent({
          parentId: id,
          advisoryEvent: { findings, fixed: { fixedVersion: "1" } },
        });
    },
    invalid({
      advisoryEvent: "the events of an advisory must not be longer than 262144 characters",
    }),
  ],
];
