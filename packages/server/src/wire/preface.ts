/** Telling HTTP/2 from HTTP/1 by the first bytes of a plaintext connection. */
import type { Socket } from "node:net";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Waits for enough bytes to tell, puts them back, and says which it is. A socket that does not say
 * enough in time is destroyed, whether it is silent or dribbles.
 */
export function detectHttp2(socket: Socket, ms: number, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer | undefined;
  const timer = setTimeout(() => socket.destroy(), ms);
  const stop = () => clearTimeout(timer);
  // Until a server has it, nobody else listens for its errors.
  const ignore = () => {};
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    // What was read is kept here, not put back, until it is enough: a socket that is given back a
    // partial preface reports it as readable again at once, and for ever.
    seen = seen ? Buffer.concat([seen, chunk]) : chunk;
    const length = Math.min(seen.length, PREFACE.length);
    const alike = seen.compare(PREFACE, 0, length, 0, length) === 0;
    if (alike && seen.length < PREFACE.length) return;
    stop();
    socket.off("readable", look);
    socket.off("close", stop);
    socket.off("error", ignore);
    socket.unshift(seen);
    decided(alike);
  };
  socket.on("readable", look);
  socket.on("close", stop);
  socket.on("error", ignore);
}
