/** gRPC calls that begin as good ones and then have something done to them. */
import { gzipSync } from "node:zlib";
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import {
  BatchCreateRoleBindingsRequestSchema,
  CreateIdentityRequestSchema,
  CreateRoleRequestSchema,
  GetGroupRequestSchema,
  ListGroupsRequestSchema,
  ListRoleBindingsRequestSchema,
  UpdateGroupRequestSchema,
} from "@wharf/contract";
import fc from "fast-check";
import { frame } from "../client/raw.ts";

export const IAM = "wharf.iam.v2beta1";
const NOBODY = "0".repeat(40);

function method(path: string, schema: DescMessage, message: Record<string, unknown>) {
  return { path: `/${path}`, bytes: toBinary(schema, create(schema, message)) };
}

/** Calls as they should be. */
export const GOOD_CALLS = [
  method(`${IAM}.GroupsService/GetGroup`, GetGroupRequestSchema, { uid: NOBODY }),
  method(`${IAM}.GroupsService/ListGroups`, ListGroupsRequestSchema, {
    uidp: { descendantsOf: NOBODY, ids: [NOBODY, NOBODY] },
    name: "name",
    pageSize: 10,
    orderBy: "name desc",
    skip: 3,
  }),
  method(`${IAM}.GroupsService/UpdateGroup`, UpdateGroupRequestSchema, {
    group: { uid: NOBODY, name: "a" },
    updateMask: { paths: ["name", "description"] },
  }),
  method(`${IAM}.IdentitiesService/CreateIdentity`, CreateIdentityRequestSchema, {
    parent: NOBODY,
    identity: {
      name: "a",
      relationship: {
        case: "claimMatch",
        value: {
          iss: { case: "issuer", value: "https://issuer.example.com" },
          sub: { case: "subjectPattern", value: "a.*" },
          claims: { a: "b" },
        },
      },
    },
  }),
  method(`${IAM}.RolesService/CreateRole`, CreateRoleRequestSchema, {
    parent: NOBODY,
    role: { name: "a", capabilities: [101, 99_999] },
  }),
  method(`${IAM}.RoleBindingsService/ListRoleBindings`, ListRoleBindingsRequestSchema, {
    identity: "x",
    role: "y",
  }),
  method(
    `${IAM}.RoleBindingsService/BatchCreateRoleBindings`,
    BatchCreateRoleBindingsRequestSchema,
    {
      parent: NOBODY,
      requests: [{ roleBinding: { identityUid: NOBODY, roleUid: NOBODY } }, {}],
    },
  ),
  { path: "/chainguard.platform.iam.v2beta1.GroupsService/ListGroups", bytes: new Uint8Array() },
  { path: "/grpc.health.v1.Health/Check", bytes: new Uint8Array() },
  { path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", bytes: new Uint8Array() },
] as const;

const PATHS = [
  "/",
  "//",
  "/a",
  "/a/b/c",
  "*",
  `/${IAM}.GroupsService/`,
  `/${IAM}.GroupsService/getGroup`,
  "/%00/%ff",
];

/** Bytes with something wrong: bits turned, an end missing, rubbish put in. */
const harmedBytes = fc.oneof(
  fc.tuple(fc.nat(200), fc.nat(255)).map(([at, value]) => (bytes: Buffer) => {
    if (bytes.length > 0) bytes[at % bytes.length] = value;
    return bytes;
  }),
  fc.nat(200).map((at) => (bytes: Buffer) => bytes.subarray(0, at % (bytes.length + 1))),
  fc.uint8Array({ maxLength: 40 }).map((more) => (bytes: Buffer) => Buffer.concat([bytes, more])),
  fc.uint8Array({ maxLength: 80 }).map((other) => () => Buffer.from(other)),
  // A group that never ends, a length beyond the end, a varint without one, deep nesting.
  fc
    .constantFrom(
      "0b",
      "0affffffff0f",
      "08ffffffffffffffffffff",
      "0a7f".repeat(60),
      "12".repeat(90),
    )
    .map((hex) => () => Buffer.from(hex, "hex")),
);

/** Small as sent, more than any message may be when unpacked. */
const BOMB = gzipSync(Buffer.alloc(32 * 1024 * 1024));

type Framing = (payload: Buffer) => Buffer;

const framings = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Framing>((payload) => frame(payload)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Framing>(
      (payload) => frame(payload, 0, payload.length + 1),
      (payload) => frame(payload, 0, Math.max(0, payload.length - 1)),
      (payload) => frame(payload, 0, 0xffff_ffff),
      (payload) => frame(payload, 0, 4 * 1024 * 1024 + 1),
      (payload) => frame(payload, 1),
      (payload) => frame(gzipSync(payload), 1),
      (payload) => frame(gzipSync(payload).subarray(0, 12), 1),
      () => frame(BOMB, 1),
      (payload) => frame(payload, 2),
      (payload) => frame(payload, 0x80),
      (payload) => frame(payload, 0xff),
      (payload) => Buffer.concat([frame(payload), frame(payload)]),
      (payload) => Buffer.concat([frame(payload), Buffer.alloc(3)]),
      () => Buffer.alloc(0),
      () => Buffer.alloc(4),
      (payload) => payload,
    ),
  },
);

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["content-type", "application/grpc+json"],
  ["content-type", "application/grpc+proto"],
  ["content-type", "application/grpcfoo"],
  ["grpc-encoding", "gzip"],
  ["grpc-encoding", "gzip"],
  ["grpc-encoding", "snappy"],
  ["grpc-encoding", ""],
  ["grpc-accept-encoding", "gzip,br,\u00ff"],
  ["grpc-timeout", "0n"],
  ["grpc-timeout", "1u"],
  ["grpc-timeout", "99999999H"],
  ["grpc-timeout", "-1S"],
  ["grpc-timeout", "1"],
  ["grpc-timeout", "S"],
  ["grpc-timeout", "1000000000S"],
  ["authorization", "Bearer x"],
  ["authorization", ""],
  ["x-trace-bin", "%%%"],
  ["user-agent", "\u00e9".repeat(300)],
  ["x-long", "y".repeat(9_000)],
  ["x-too-long", "y".repeat(20_000)],
  ["content-length", "3"],
  [":method", "GET"],
  [":method", "DELETE"],
  [":authority", "\u00ff"],
];

/** One in so many; null otherwise. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** Calls of which the bytes, the frame, the path or the headers may be wrong. */
export const malformedCalls = fc.noBias(
  fc.record({
    call: fc.constantFrom(...GOOD_CALLS),
    path: rarely(fc.constantFrom(...PATHS), 12),
    harm: rarely(harmedBytes, 2),
    framing: framings,
    headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 2 }),
  }),
);
export type MalformedCall = typeof malformedCalls extends fc.Arbitrary<infer T> ? T : never;

/** The bytes that such a call sends. */
export function payloadOf({ call, harm, framing }: MalformedCall): Buffer {
  const bytes = Buffer.from(call.bytes);
  return framing(harm === null ? bytes : harm(bytes));
}
