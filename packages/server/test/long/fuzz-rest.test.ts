import { restRequest } from "../support/fuzz/rest-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("rest", {
  REST: {
    generate: restRequest,
    reaches: 90,
    sqlite: { anonymous: 10_000, authenticated: 45_000 },
    postgres: { anonymous: 5_000, authenticated: 25_000 },
  },
});
