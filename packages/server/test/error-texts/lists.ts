import { create, toBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { TagsService } from "@wharf/contract";
import { apiErrorOf, sendBytes } from "../support/client/grpc.ts";
import { type ErrorText, invalid } from "./table.ts";

const groups =
  (request: object): ErrorText[1] =>
  ({ api }) =>
    api.groups.list(request);
const UID = "0".repeat(40);

/** Errors of lists. */
export const LISTS: readonly ErrorText[] = [
  [
    "a page size is negative",
    groups({ pageSize: -1 }),
    invalid({ pageSize: "pageSize must not be negative" }),
  ],
  ["a skip is negative", groups({ skip: -1 }), invalid({ skip: "skip must not be negative" })],
  [
    "a page token is not one",
    groups({ pageToken: "nonsense" }),
    invalid({ pageToken: "pageToken does not belong to this query" }),
  ],
  [
    "a page token is of another query",
    async ({ api, world, org }) => {
      for (let at = 0; at < 2; at++) await world.group(org);
      const { nextPageToken } = await api.groups.list({ pageSize: 1 });
      await api.groups.list({ pageSize: 1, pageToken: nextPageToken, orderBy: "name" });
    },
    invalid({ pageToken: "pageToken does not belong to this query" }),
  ],
  [
    "an order is unknown",
    groups({ orderBy: "color" }),
    invalid({
      orderBy:
        'orderBy must be one of uid, name, created_at, updated_at, or several of them with commas, each optionally followed by " desc"',
    }),
  ],
  [
    "role bindings are ordered by name",
    ({ api }) => api.roleBindings.list({ orderBy: "name" }),
    invalid({
      orderBy:
        'orderBy must be one of uid, created_at, updated_at, or several of them with commas, each optionally followed by " desc"',
    }),
  ],
  [
    "associations are ordered by color",
    ({ api }) => api.accountAssociations.list({ orderBy: "color" }),
    invalid({
      orderBy:
        'orderBy must be one of group, uid, name, created_at, updated_at, or several of them with commas, each optionally followed by " desc"',
    }),
  ],
  [
    "advisories are ordered by color",
    ({ api }) => api.advisories.list({ orderBy: "color" }),
    invalid({
      orderBy:
        'orderBy must be one of uid, created_at, updated_at, aliases, or several of them with commas, each optionally followed by " desc"',
    }),
  ],
  [
    "counts of audit entries have too many intervals",
    ({ api }) => api.audit.getAuditEntryCounts({ intervals: 101 }),
    invalid({ intervals: "intervals must be 1 to 100" }),
  ],
  [
    "counts of deliveries begin after their end",
    ({ api, org }) =>
      api.deliveries.getDeliveryCounts({
        uid: org,
        since: "2026-01-02T00:00:00Z",
        until: "2026-01-01T00:00:00Z",
      }),
    invalid({ until: "until must be after since" }),
  ],
  [
    "counts of audit entries have no bounds",
    ({ api }) => api.audit.getAuditEntryCounts({ filter: {} }),
    invalid({ "filter.since": "since is required" }),
  ],
  [
    "a filter is not a uid",
    groups({ uidp: { childrenOf: "nonsense" } }),
    invalid({
      "uidp.childrenOf": "childrenOf must be a UID: 40 hexadecimal characters, or a path of IDs",
    }),
  ],
  [
    "a filter has too many uids",
    ({ world }) =>
      world.operator("gRPC").groups.list({
        uidp: {
          ids: Array.from({ length: 1_001 }, (_, at) => UID.slice(4) + String(at).padStart(4, "0")),
        },
      }),
    invalid({ "uidp.ids": "ids must be at most 1000 uids" }),
  ],
  [
    "a filter has too many values",
    ({ world }) =>
      world
        .operator("gRPC")
        .advisories.list({ aliases: Array.from({ length: 1_001 }, (_, at) => `CVE-${at}`) }),
    invalid({ aliases: "aliases must have at most 1000 values" }),
  ],
  [
    "a time is malformed",
    ({ rest }) => rest("GET", "/registry/v2beta1/tags?updated_since=0000-01-01T00:00:00Z"),
    invalid({
      updated_since: 'updated_since must be an RFC 3339 time such as "2026-01-31T09:30:00Z"',
    }),
  ],
  [
    "a time is out of range",
    async ({ world }) => {
      const { listTags } = TagsService.method;
      const updatedSince = create(TimestampSchema, { seconds: 2n ** 62n });
      const request = toBinary(listTags.input, create(listTags.input, { updatedSince }));
      const path = `/${listTags.parent.typeName}/${listTags.name}`;
      await sendBytes(world.server.url, world.operator().token, path, Buffer.from(request)).catch(
        (error) => {
          throw apiErrorOf(error);
        },
      );
    },
    invalid({ updatedSince: "updatedSince must be within the years 0001 to 9999" }),
  ],
  [
    "a number of a query is not one",
    ({ rest }) => rest("GET", "/iam/v2beta1/groups?pageSize=many"),
    invalid({ pageSize: "pageSize must be a whole number" }),
  ],
  [
    "the page size of a v1 list is negative",
    ({ api }) => api.v1.registry.listEolTags({ pageSize: -1 }),
    invalid({ pageSize: "pageSize must not be negative" }),
  ],
  [
    "the page size of the v1 list of advisories is negative",
    ({ api }) => api.v1.advisories.list({ pageSize: -1 }),
    invalid({ pageSize: "pageSize must not be negative" }),
  ],
];
