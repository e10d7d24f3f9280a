import { restRequest } from "../support/fuzz/rest-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("rest", {
  REST: {
    generate: restRequest,
    reaches: 90,
    sqlite: { anonymous: 4_000, authenticated: 17_500 },
    postgres: { anonymous: 2_000, authenticated: 7_500 },
  },
});
