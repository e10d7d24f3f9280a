/** The requests of a load over HTTP/1.1. */

export interface Target {
  readonly path: string;
  /** Overrides that of the job. */
  readonly method?: RequestJob["method"];
  readonly body?: string;
  /** Overrides that of the job. */
  readonly token?: string;
}

export interface RequestJob {
  readonly token: string;
  readonly method: "GET" | "HEAD" | "POST" | "PATCH";
  /** Sent in rotation. */
  readonly targets: readonly Target[];
  /** The content type of bodies; JSON by default. */
  readonly bodyType?: string;
}

/** The bytes of the next request, in rotation. */
export function requestsOf(job: RequestJob): () => Buffer {
  const requests = job.targets.map((target) => requestOf(job, target));
  let at = 0;
  return () => requests[at++ % requests.length] as Buffer;
}

function requestOf(job: RequestJob, target: Target): Buffer {
  const { path, method = job.method, body, token = job.token } = target;
  const { bodyType = "application/json" } = job;
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1"];
  if (token !== "") head.push(`Authorization: Bearer ${token}`);
  if (body !== undefined)
    head.push(`Content-Type: ${bodyType}`, `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body ?? ""}`);
}
