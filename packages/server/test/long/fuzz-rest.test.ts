import { restRequest } from "../support/fuzz/rest-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("rest", {
  REST: {
    generate: restRequest,
    reaches: 90,
    sqlite: { anonymous: 6_000, authenticated: 25_000 },
    postgres: { anonymous: 3_000, authenticated: 12_500 },
  },
});
