import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { AdvisoriesService, TagsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import type { ApiError } from "./support/client/api-error.ts";
import { apiErrorOf, sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore } from "./support/world/world.ts";

const METHODS: readonly DescMethod[] = [
  TagsService.method.listTags,
  registryV1.Registry.method.listTags,
  AdvisoriesService.method.listAdvisories,
];

onEachStore("timestamps in requests", (world) => {
  test("are within the years 0001 to 9999, over gRPC", async () => {
    for (const method of METHODS) {
      const path = `/${method.parent.typeName}/${method.name}`;
      for (const seconds of [2n ** 62n, -(2n ** 62n), 253_402_300_800n, -62_135_596_801n]) {
        const updatedSince = create(TimestampSchema, { seconds });
        const request = create(method.input, { updatedSince } as Record<string, unknown>);
        const bytes = Buffer.from(toBinary(method.input, request));
        const call = sendBytes(world.server.url, world.operator().token, path, bytes);
        const { code, fields } = await call.then(
          () => assert.fail(`${path} takes ${seconds}`),
          (error) => apiErrorOf(error) as ApiError,
        );
        assert.deepEqual([code, Object.keys(fields)], [3, ["updatedSince"]], path);
      }
    }
  });

  test("are so over REST, too", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    const lists = [
      "registry/v2beta1/tags",
      "registry/v1/tags",
      "vulnerabilities/v2beta1/advisories",
    ];
    for (const list of lists) {
      const since = (time: string) => rest.get(`/${list}?updated_since=${time}`);
      for (const time of ["0000-12-31T23:59:59Z", "10000-01-01T00:00:00Z"]) {
        const { status, body } = await since(time);
        assert.deepEqual([status, body.code], [400, 3], `${list} ${time}`);
      }
      for (const time of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"]) {
        assert.equal((await since(time)).status, 200, `${list} ${time}`);
      }
    }
  });
});
