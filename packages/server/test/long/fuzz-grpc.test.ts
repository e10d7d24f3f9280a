import { grpcRequest, grpcWebRequest } from "../support/fuzz/grpc-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("grpc", {
  gRPC: {
    generate: grpcRequest,
    reaches: 80,
    sqlite: { anonymous: 3_000, authenticated: 15_000 },
    postgres: { anonymous: 2_000, authenticated: 7_500 },
  },
  "gRPC-Web": {
    generate: grpcWebRequest,
    reaches: 60,
    sqlite: { anonymous: 2_500, authenticated: 7_500 },
    postgres: { anonymous: 1_500, authenticated: 5_000 },
  },
});
