/**
 * Parts of Node.js that are not imported, but loaded when they are first needed: the server starts a
 * tenth sooner without them, and many never need them.
 */
import { getBuiltinModule } from "node:process";

export const http2 = () => getBuiltinModule("node:http2");
export const https = () => getBuiltinModule("node:https");
export const tls = () => getBuiltinModule("node:tls");
export const zlib = () => getBuiltinModule("node:zlib");
