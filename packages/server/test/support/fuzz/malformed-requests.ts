/** Requests that begin as good ones and then have something done to them. */
import fc from "fast-check";
import { Http } from "../client/http.ts";
import {
  AUTHORIZATIONS,
  CALLS,
  FIELDS,
  HEADERS,
  NASTY,
  PARAMETERS,
  VALUES,
  WHOLE_BODIES,
} from "./malformed-values.ts";

/** Replaced by the values of the test's server, which do not exist yet when requests are generated. */
const MARKS = ["<group>", "<identity>", "<role>", "<binding>", "<token>", "<page token>"] as const;
type Mark = (typeof MARKS)[number];

/** The values that replace the marks. */
export type Known = Readonly<Record<Mark, string>>;

/** A request before it is written as bytes. */
export interface MalformedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

/** Any character. The unit "binary" of fast-check numbers all of them first, which takes more than a second. */
const codePoint = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800));

const leaves = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 99_999, 2 ** 31, 1e21, 1e308, "", "a"),
  fc.constantFrom<unknown>(
    "<group>",
    "<role>",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "(((",
    "[[:alpha:]]",
    "(a+)+$",
  ),
  fc.constantFrom<unknown>("https://issuer.example.com", "http://[", "CAP_REPO_LIST", "repo.list"),
  fc.constantFrom<unknown>("2026-02-30T99:00:00Z", "9999-12-31T23:59:59Z", "{}", '{"keys":[{}]}'),
  fc.constantFrom<unknown>("x".repeat(600), "\u202e", "\n", "é😀", [], {}, [null], { "": "" }),
  fc.string({ unit: codePoint }),
  fc.double(),
);

/** JSON with fields of the contract in places where they may or may not belong. */
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaves,
    fc.dictionary(fc.constantFrom(...FIELDS), tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));

/** One thing done to a request. */
type Harm = (
  request: MalformedRequest,
  body: Record<string, unknown> | undefined,
) => MalformedRequest;

const harms: fc.Arbitrary<Harm> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...PARAMETERS), fc.constantFrom(...VALUES)).map(
      (pair): Harm =>
        (request) => ({ ...request, query: [...request.query, pair] }),
    ),
  },
  {
    weight: 10,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), values), { minLength: 1, maxLength: 3 })
      .map(
        (fields): Harm =>
          (request, body) => {
            if (body === undefined) return request;
            return { ...request, body: JSON.stringify(edited(body, fields)) };
          },
      ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...WHOLE_BODIES).map(
      (body): Harm =>
        (request) => ({ ...request, body }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...NASTY).map(
      (piece): Harm =>
        (request) => {
          return { ...request, path: `${request.path}/${piece}` };
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...NASTY).map(
      (piece): Harm =>
        (request) => {
          return { ...request, path: request.path.replace(/<[a-z]+>/, () => piece) };
        },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...HEADERS).map(
      (line): Harm =>
        (request) => {
          const name = line.slice(0, line.indexOf(":") + 1);
          return {
            ...request,
            headers: [...request.headers.filter((one) => !one.startsWith(name)), line],
          };
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...AUTHORIZATIONS).map(
      (value): Harm =>
        (request) => {
          const others = request.headers.filter((line) => !line.startsWith("Authorization"));
          return { ...request, headers: [...others, `Authorization: ${value}`] };
        },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("PUT", "HEAD", "OPTIONS", "TRACE", "QUERY", "get", "DELETE").map(
      (method): Harm =>
        (request) => ({ ...request, method }),
    ),
  },
);

/** Sets fields wherever an object has them, and at the top where none has. */
function edited(body: Record<string, unknown>, fields: readonly (readonly [string, unknown])[]) {
  const copy = structuredClone(body);
  for (const [name, value] of fields) {
    const holders = [copy, copy.claimMatch, copy.staticKeys, copy.awsIdentity].filter(
      (one): one is Record<string, unknown> => typeof one === "object" && one !== null,
    );
    const holder = holders.find((one) => Object.hasOwn(one, name)) ?? copy;
    Object.defineProperty(holder, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}

/** Requests with one to three things wrong, or strange, about them. */
export const malformedRequests: fc.Arbitrary<MalformedRequest> = fc.noBias(
  fc
    .tuple(fc.constantFrom(...CALLS), fc.array(harms, { minLength: 1, maxLength: 3 }))
    .map(([[method, path, body], list]) => {
      const request: MalformedRequest = {
        method,
        path: `/iam/v2beta1/${path}`,
        query: [],
        headers: ["Authorization: Bearer <token>", "Content-Type: application/json"],
        body: body === undefined ? "" : JSON.stringify(body),
      };
      return list.reduce((sum, harm) => harm(sum, body), request);
    }),
);

/** Puts the real values where the marks are. */
export function fill(text: string, known: Known): string {
  return text.replace(
    /<(group|identity|role|binding|token|page token)>/g,
    (mark) => known[mark as Mark],
  );
}

/** One of everything, for requests to be about. */
export async function settle(url: string, token: string): Promise<Known> {
  const rest = new Http(url, token);
  const made = async (path: string, body: object) =>
    (await rest.post(`/iam/v2beta1/${path}`, body)).body.uid as string;
  const group = await made("groups", { name: "root" });
  for (const name of ["a", "b"]) await made(`groups/${group}`, { name });
  const claimMatch = { issuer: "https://issuer.example.com", subject: "someone" };
  const identity = await made(`identities/${group}`, { name: "a", claimMatch });
  const role = await made(`roles/${group}`, { name: "a", capabilities: ["repo.list"] });
  const bound = { identityUid: identity, roleUid: role };
  const binding = await made(`roleBindings/${group}`, bound);
  const page = await rest.get("/iam/v2beta1/groups?page_size=1");
  return {
    "<group>": group,
    "<identity>": identity,
    "<role>": role,
    "<binding>": binding,
    "<token>": token,
    "<page token>": page.body.nextPageToken,
  };
}
