import type { TestContext } from "node:test";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import type { CallOptions, ChannelCredentials, ServiceError } from "@grpc/grpc-js";
import { Client, credentials, Metadata } from "@grpc/grpc-js";

/** An independent gRPC implementation, spoken to in raw messages. */
export class GrpcClient {
  readonly client: Client;

  constructor(
    t: TestContext,
    url: string,
    creds: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.client = new Client(url.replace(/^https?:\/\//, ""), creds, {
      "grpc.max_receive_message_length": -1,
    });
    t.after(() => this.client.close());
  }

  /** Calls a unary method; rejects with grpc-js's own error. */
  unary<In extends DescMessage, Out extends DescMessage>(
    path: string,
    input: In,
    request: MessageShape<In>,
    output: Out,
    options: CallOptions & { metadata?: Record<string, string> } = {},
  ): Promise<MessageShape<Out>> {
    const { metadata: entries = {}, ...rest } = options;
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(entries)) metadata.set(key, value);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        (message: MessageShape<In>) => Buffer.from(toBinary(input, message)),
        (bytes) => fromBinary(output, bytes),
        request,
        metadata,
        rest,
        (error: ServiceError | null, message) => {
          if (error) reject(error);
          else resolve(message as MessageShape<Out>);
        },
      );
    });
  }
}
