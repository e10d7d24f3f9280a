/** Bare @grpc/grpc-js: responds to every call with the same pre-encoded message. */
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { doJobs } from "../program.ts";

export interface ServedMessage {
  readonly path: string;
  readonly message: Uint8Array;
}

const asIs = (bytes: Buffer): Buffer => bytes;

doJobs(async ({ path, message }: ServedMessage): Promise<{ port: number }> => {
  const answer = Buffer.from(message);
  const server = new Server();
  server.addService(
    {
      method: {
        path,
        requestStream: false,
        responseStream: false,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    },
    {
      method: (_call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
        reply(null, answer);
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(error);
      else resolve(bound);
    });
  });
  return { port };
});
