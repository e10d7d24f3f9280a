/**
 * Modules of Node.js that are loaded on first use: startup takes a tenth less time without them, and many
 * installations never need them.
 */
import { getBuiltinModule } from "node:process";

export const childProcess = () => getBuiltinModule("node:child_process");
export const http2 = () => getBuiltinModule("node:http2");
export const https = () => getBuiltinModule("node:https");
export const tls = () => getBuiltinModule("node:tls");
export const zlib = () => getBuiltinModule("node:zlib");
