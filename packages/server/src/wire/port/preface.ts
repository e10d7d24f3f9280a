/** Detects HTTP/2 by the connection preface (RFC 9113) on plaintext connections. */
import type { Socket } from "node:net";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Reads enough bytes to decide, pushes them back and reports the result. Destroys the socket on timeout. */
export function detectHttp2(socket: Socket, ms: number, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer | undefined;
  const timer = setTimeout(() => socket.destroy(), ms);
  const stop = () => clearTimeout(timer);
  // No server handles its errors yet.
  const ignore = () => {};
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    // Bytes are kept here until there are enough: a socket with a pushed-back partial preface is readable at
    // once, in an endless loop.
    seen = seen ? Buffer.concat([seen, chunk]) : chunk;
    const length = Math.min(seen.length, PREFACE.length);
    const matches = seen.compare(PREFACE, 0, length, 0, length) === 0;
    if (matches && seen.length < PREFACE.length) return;
    stop();
    socket.off("readable", read);
    socket.off("close", stop);
    socket.off("error", ignore);
    socket.unshift(seen);
    decided(matches);
  };
  socket.on("readable", read);
  socket.on("close", stop);
  socket.on("error", ignore);
}
