/** The services as properties of the client, with short method names. Everything is derived from the descriptors. */
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

/** The items of a page; never for other responses. */
export type ItemOf<Output> = Output extends { nextPageToken: string }
  ? {
      [Field in keyof Output]-?: Output[Field] extends readonly (infer Item)[] ? Item : never;
    }[Exclude<keyof Output, "$unknown">]
  : never;

/**
 * Whether a method returns pages: its response has items and `next_page_token`.
 *
 * @example isPaged(GroupsService.method.listGroups) // true
 */
export function isPaged({ output }: DescMethod): boolean {
  const token = output.fields.some((field) => field.name === "next_page_token");
  return token && itemsOf(output) !== undefined;
}

/** The field of a response with the listed items. */
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

/** The request is optional if it has no fields, or is the one of a list. */
type Arguments<Input extends DescMessage> = [FieldsOf<Input>] extends [never]
  ? [request?: RequestOf<Input>, options?: CallOptions]
  : "pageToken" extends FieldsOf<Input>
    ? [request?: RequestOf<Input>, options?: CallOptions]
    : [request: RequestOf<Input>, options?: CallOptions];

/** A method as a function. */
export type Caller<Method extends DescMethodUnary> = (
  ...args: Arguments<Method["input"]>
) => Promise<MessageShape<Method["output"]>>;

/** A method that streams its response, as an async iterator. Leaving the loop ends the call. */
export type Streamer<Method extends DescMethodUnary> = (
  ...args: Arguments<Method["input"]>
) => AsyncGenerator<MessageShape<Method["output"]>, void, undefined>;

/** A list as an async iterator. */
export type Lister<Method extends DescMethodUnary> = (
  ...args: Arguments<Method["input"]>
) => AsyncGenerator<ItemOf<MessageShape<Method["output"]>>, void, undefined>;

type PagedMethods<Methods> = {
  [Name in keyof Methods]: [ItemOf<MessageShape<UnaryOf<Methods[Name]>["output"]>>] extends [never]
    ? never
    : Name;
}[keyof Methods];

/** One service: methods by their short names, and `listAll` for lists. */
export type ServiceClient<Service extends Pick<DescService, "method">, Name extends string> = {
  readonly [Method in keyof Service["method"] & string as ShortName<
    Method,
    Name
  >]: Service["method"][Method] extends { methodKind: "server_streaming" }
    ? Streamer<UnaryOf<Service["method"][Method]>>
    : Caller<UnaryOf<Service["method"][Method]>>;
} & {
  readonly [Method in PagedMethods<Service["method"]> &
    string as `${ShortName<Method, Name>}All`]: Lister<UnaryOf<Service["method"][Method]>>;
};

/** Every service of the contract. */
export type ServiceClients = {
  readonly [Name in ServiceName]: ServiceClient<ClientServices[Name], Name>;
};
