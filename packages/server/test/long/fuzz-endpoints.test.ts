import { endpointRequest } from "../support/fuzz/endpoint-requests.ts";
import { scimRequest } from "../support/fuzz/scim-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("endpoints", {
  endpoints: {
    generate: endpointRequest,
    reaches: 30,
    sqlite: { anonymous: 10_000, authenticated: 10_000 },
    postgres: { anonymous: 5_000, authenticated: 5_000 },
  },
  SCIM: {
    generate: scimRequest,
    reaches: 5,
    sqlite: { anonymous: 2_000, authenticated: 8_000 },
    postgres: { anonymous: 1_000, authenticated: 5_000 },
  },
});
