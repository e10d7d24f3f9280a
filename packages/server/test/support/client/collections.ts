/** Collections of resources, derived from the services of the contract. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type * as contract from "@wharf/contract";
import { httpRulesOf, isScope, SERVICES } from "@wharf/contract";
import type * as contractV1 from "@wharf/contract/v1";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { jsonNameOf, pathVariablesOf, withValue } from "./transcoding.ts";

export type Version = "v2beta1" | "v1";

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Answer = any;

type Call = (service: DescService, method: string, request: object) => Promise<Answer>;

/** The five methods that most kinds of resources have, alike in both versions. */
export interface Standard {
  list(request?: object): Promise<Answer>;
  get(uid: string): Promise<Answer>;
  create(parent: string, resource: object): Promise<Answer>;
  update(uid: string, change: object, updateMask?: readonly string[]): Promise<Answer>;
  delete(uid: string): Promise<Answer>;
}

/** A collection: the five, and every method of its service with a whole request. */
export type Collection<Method extends PropertyKey = never> = Standard & {
  readonly [M in Exclude<Method, keyof Standard>]: (request?: object) => Promise<Answer>;
};

/** The collections of one service, by the names that `namesOf` gives them. */
type OfService<Name, Method extends PropertyKey> = {
  readonly [N in
    | (Name extends `${infer Many}Service` ? Uncapitalize<Many> : Uncapitalize<Name & string>)
    | (Method extends `list${infer Many}`
        ? Exclude<Uncapitalize<Many>, "">
        : never)]: Collection<Method>;
};

/** The collections of all services that a module exports. */
type OfModule<Module> = {
  [Name in keyof Module]: Module[Name] extends { kind: "service"; method: infer Methods }
    ? OfService<Name, keyof Methods>
    : never;
}[keyof Module];

type Namespaces = Omit<typeof contractV1, "SERVICES_V1"> & Pick<typeof contract, "advisoriesV1">;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** All collections of both versions. Using one that a version does not have is an error at run time. */
export type Collections = Intersection<
  | OfModule<Omit<typeof contract, "SERVICES">>
  | { [N in keyof Namespaces]: OfModule<Namespaces[N]> }[keyof Namespaces]
>;

interface Kind {
  readonly service: DescService;
  /** The nouns in its methods' names: one and several, as in `GetGroup` and `ListGroups`. */
  readonly one: string;
  readonly many: string;
}

/** Every service under its own name, and under what its lists are of. */
function kindsOf(service: DescService): [name: string, kind: Kind][] {
  const lists = service.methods.flatMap(({ name }) => /^List(.+)$/.exec(name)?.[1] ?? []);
  const own = service.name.replace(/Service$/, "");
  return [...new Set([...lists, own])].map((many) => {
    const one = many.replace(/ies$/, "y").replace(/s$/, "");
    return [many.charAt(0).toLowerCase() + many.slice(1), { service, one, many }];
  });
}

const ALL = [...SERVICES, ...SERVICES_V1];
const isV1 = ({ typeName }: DescService) => /\.v1\./.test(typeName);
const KINDS: Readonly<Record<Version, ReadonlyMap<string, Kind>>> = {
  v1: new Map(ALL.filter(isV1).flatMap(kindsOf)),
  v2beta1: new Map(ALL.filter((service) => !isV1(service)).flatMap(kindsOf)),
};

export const COLLECTION_NAMES: ReadonlySet<string> = new Set([
  ...KINDS.v1.keys(),
  ...KINDS.v2beta1.keys(),
]);

export function methodNamed(service: DescService, name: string): DescMethod | undefined {
  return service.methods.find((one) => one.name === name);
}

/**
 * A collection of a version, whose methods are made with `call`.
 *
 * @example collectionOf("v1", "repos", call).create(group, { name: "app" })
 */
export function collectionOf(version: Version, name: string, call: Call): Collection {
  const kind = KINDS[version].get(name);
  if (kind === undefined) throw new Error(`${version} has no ${name}`);
  const { service, one, many } = kind;
  const standard = (verb: string, noun: string, requestOf: (method: DescMethod) => object) => {
    const method = methodNamed(service, verb + noun) ?? methodNamed(service, verb);
    if (method === undefined) throw new Error(`${service} has no ${verb}${noun}`);
    return call(service, method.name, requestOf(method));
  };
  const others = service.methods.map(({ name, localName }) => {
    return [localName, (request: object = {}) => call(service, name, request)];
  });
  return {
    ...Object.fromEntries(others),
    list: (request = {}) => standard("List", many, () => request),
    get: (uid) => standard("Get", one, (method) => requestAbout(method, uid)),
    delete: (uid) => standard("Delete", one, (method) => requestAbout(method, uid)),
    create: (parent, resource) =>
      standard("Create", one, (method) => {
        const [variable] = pathVariablesOf(method);
        const scope = variable ?? method.input.fields.find(isScope)?.name ?? "";
        const field = resourceField(method, one);
        const given = field === undefined ? resource : { [field]: resource };
        return { ...given, [jsonNameOf(method.input, scope)]: parent };
      }),
    update: (uid, change, updateMask) =>
      standard("Update", one, (method) => {
        const field = resourceField(method, one);
        const given = field === undefined ? change : { [field]: change };
        const mask = updateMask === undefined ? {} : { updateMask };
        return { ...requestAbout(method, uid, given), ...mask };
      }),
  };
}

/** A request with the uid where the route of its method has it. */
function requestAbout(method: DescMethod, uid: string, request: object = {}): object {
  const [variable] = pathVariablesOf(method);
  if (variable === undefined) throw new Error(`${method} is about nothing`);
  return withValue(method.input, request, variable, uid);
}

/** The field that holds the resource; undefined where the request is the resource. */
function resourceField(method: DescMethod, one: string): string | undefined {
  const body = httpRulesOf(method)[0]?.body ?? "";
  if (body !== "*") return jsonNameOf(method.input, body);
  const name = one.charAt(0).toLowerCase() + one.slice(1);
  return method.input.fields.find(({ jsonName }) => jsonName === name)?.jsonName;
}
