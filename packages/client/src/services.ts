/**
 * The services as properties of the client, with their methods under short names. Everything is
 * derived from the descriptors: a method that is added to the contract is here at once.
 */
import type {
  DescField,
  DescMessage,
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageShape,
} from "@bufbuild/protobuf";
import { CLIENT_SERVICES } from "../gen/services.ts";
import type { CallOptions } from "./call.ts";
import type { RequestOf } from "./request.ts";

export { CLIENT_SERVICES };

type ClientServices = typeof CLIENT_SERVICES;
export type ServiceName = keyof ClientServices;

/** `identities` → `Identity`. */
type Singular<Many extends string> = Many extends `${infer Stem}ies`
  ? `${Stem}y`
  : Many extends `${infer Stem}s`
    ? Stem
    : Many;

/** `batchCreateRoleBindings` of `roleBindings` → `batchCreate`. */
export type ShortName<
  Method extends string,
  Service extends string,
> = Method extends `${infer Before}${Capitalize<Service>}${infer After}`
  ? `${Before}${After}`
  : Method extends `${infer Before}${Singular<Capitalize<Service>>}${infer After}`
    ? `${Before}${After}`
    : Method;

/**
 * The short name of a method: its own without that of the resource.
 *
 * @example shortName("getGroup", "groups") // "get"
 */
export function shortName(method: string, service: string): string {
  const many = service.charAt(0).toUpperCase() + service.slice(1);
  if (method.includes(many)) return method.replace(many, "");
  const one = many.endsWith("ies") ? `${many.slice(0, -3)}y` : many.replace(/s$/, "");
  return method.replace(one, "");
}

/** What a page of a list holds; never for answers that are no pages. */
export type ItemOf<Output> = Output extends { nextPageToken: string }
  ? {
      [Field in keyof Output]-?: Output[Field] extends readonly (infer Item)[] ? Item : never;
    }[Exclude<keyof Output, "$unknown">]
  : never;

/**
 * Whether a method answers in pages, judged by the shape of its answer: items, then a token.
 *
 * @example isPaged(GroupsService.method.listGroups) // true
 */
export function isPaged({ output }: DescMethod): boolean {
  const token = output.fields.some((field) => field.name === "next_page_token");
  return token && itemsOf(output) !== undefined;
}

/** The field of an answer that holds what was listed. */
export function itemsOf(output: DescMessage): DescField | undefined {
  return output.fields.find((field) => field.fieldKind === "list");
}

type UnaryOf<Method> = Method extends {
  input: infer Input extends DescMessage;
  output: infer Output extends DescMessage;
}
  ? DescMethodUnary<Input, Output>
  : never;

type FieldsOf<Input extends DescMessage> = Exclude<
  keyof MessageShape<Input>,
  "$typeName" | "$unknown"
>;

/** Nobody must write `{}` where there is nothing to say, or nothing that must be said. */
type Arguments<Input extends DescMessage> = [FieldsOf<Input>] extends [never]
  ? [request?: RequestOf<Input>, options?: CallOptions]
  : "pageToken" extends FieldsOf<Input>
    ? [request?: RequestOf<Input>, options?: CallOptions]
    : [request: RequestOf<Input>, options?: CallOptions];

/** A method as a function. */
export type Caller<Method extends DescMethodUnary> = (
  ...args: Arguments<Method["input"]>
) => Promise<MessageShape<Method["output"]>>;

/** A list as something to go through. */
export type Lister<Method extends DescMethodUnary> = (
  ...args: Arguments<Method["input"]>
) => AsyncGenerator<ItemOf<MessageShape<Method["output"]>>, void, undefined>;

type PagedMethods<Methods> = {
  [Name in keyof Methods]: [ItemOf<MessageShape<UnaryOf<Methods[Name]>["output"]>>] extends [never]
    ? never
    : Name;
}[keyof Methods];

/** One service: each method under its short name, lists also as `listAll`. */
export type ServiceClient<Service extends Pick<DescService, "method">, Name extends string> = {
  readonly [Method in keyof Service["method"] & string as ShortName<Method, Name>]: Caller<
    UnaryOf<Service["method"][Method]>
  >;
} & {
  readonly [Method in PagedMethods<Service["method"]> &
    string as `${ShortName<Method, Name>}All`]: Lister<UnaryOf<Service["method"][Method]>>;
};

/** Every service of the contract. */
export type ServiceClients = {
  readonly [Name in ServiceName]: ServiceClient<ClientServices[Name], Name>;
};
