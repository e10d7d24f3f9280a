import { grpcRequest, grpcWebRequest } from "../support/fuzz/grpc-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("grpc", {
  gRPC: {
    generate: grpcRequest,
    reaches: 80,
    sqlite: { anonymous: 2_000, authenticated: 10_000 },
    postgres: { anonymous: 1_500, authenticated: 5_000 },
  },
  "gRPC-Web": {
    generate: grpcWebRequest,
    reaches: 60,
    sqlite: { anonymous: 1_500, authenticated: 5_000 },
    postgres: { anonymous: 1_000, authenticated: 3_500 },
  },
});
