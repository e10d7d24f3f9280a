import { grpcRequest, grpcWebRequest } from "../support/fuzz/grpc-requests.ts";
import { fuzzSuite } from "../support/fuzz/suite.ts";

fuzzSuite("grpc", {
  gRPC: {
    generate: grpcRequest,
    reaches: 80,
    sqlite: { anonymous: 5_000, authenticated: 25_000 },
    postgres: { anonymous: 3_000, authenticated: 15_000 },
  },
  "gRPC-Web": {
    generate: grpcWebRequest,
    reaches: 60,
    sqlite: { anonymous: 4_000, authenticated: 12_000 },
    postgres: { anonymous: 3_000, authenticated: 8_000 },
  },
});
