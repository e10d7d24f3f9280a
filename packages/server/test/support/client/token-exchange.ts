import { decodeJwt, type JWTPayload } from "jose";

export interface Exchanged {
  readonly details: readonly object[];
  readonly status: number;
  readonly token: string;
  readonly claims: JWTPayload;
  readonly code: number;
  readonly message: string;
}

/**
 * Asks for a token as the specification shows: GET, the other token as bearer.
 *
 * @example const { token } = await exchange(server.url, upstream, { aud: server.url, identity });
 */
export async function exchange(
  url: string,
  token: string,
  parameters: Record<string, string | readonly string[]>,
): Promise<Exchanged> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of typeof value === "string" ? [value] : value) query.append(name, one);
  }
  const response = await fetch(`${url}/sts/exchange?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
  });
  const body = (await response.json()) as Partial<Exchanged>;
  return {
    status: response.status,
    token: body.token ?? "",
    claims: body.token === undefined ? {} : decodeJwt(body.token),
    code: body.code ?? 0,
    message: body.message ?? "",
    details: body.details ?? [],
  };
}
