/**
 * A client for browsers, in JSON: requests and responses are as on the wire, and no descriptors are loaded. The main
 * entry has messages, validation and retries. Imports errors, REST and generated routes.
 */
export { JSON_SERVICES } from "../gen/json.ts";
export * from "./errors.ts";
export { createJsonClient, type JsonClient, type JsonClientOptions } from "./json/client.ts";
export { type HttpJsonRequest, httpJsonRequest, type JsonMethod } from "./json/method.ts";
export { overFetch } from "./rest/http.ts";
