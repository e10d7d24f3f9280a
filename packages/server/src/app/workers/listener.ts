import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Settings } from "../../config/settings.ts";
import { portError } from "../../lib/startup-errors.ts";

export interface Listening {
  readonly server: Server;
  readonly address: AddressInfo;
}

/** Listens at the address of the settings, for connections that others serve. */
export async function listenFor(
  { listen }: Pick<Settings, "listen">,
  accept: (socket: Socket) => void,
): Promise<Listening> {
  // Nothing is read here: the worker does.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // A connection that breaks here must not end the process; the worker notices it, too.
    socket.on("error", () => socket.destroy());
    accept(socket);
  });
  server.listen(listen.port, listen.host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw portError(`${listen.host}:${listen.port}`, error);
  }
  return { server, address: server.address() as AddressInfo };
}
