import { create } from "@bufbuild/protobuf";
import { type Advisory, type AdvisoryEvent, AdvisorySchema } from "@wharf/contract/messages";
import { advisoryIdOf } from "../advisory-id.ts";

/** What an advisory is about. */
export interface Artifact {
  readonly name: string;
  readonly type: string;
  readonly architecture: string;
  readonly component: Component;
}

export interface Component {
  readonly name: string;
  readonly type: string;
  readonly location: string;
}

/** Where nothing is said of architectures, all are meant. */
export const ALL_ARCHITECTURES = "all";

/** The place of a component that is the artifact as a whole. */
export const WHOLE = "";

/**
 * An artifact that is its own component.
 *
 * @example wholeArtifact("openssl", "apk")
 */
export function wholeArtifact(
  name: string,
  type: string,
  architecture: string = ALL_ARCHITECTURES,
): Artifact {
  return { name, type, architecture, component: { name, type, location: WHOLE } };
}

/** The same for everyone who reads of the same vulnerability in the same place. */
export function idFor({ name, type, architecture, component }: Artifact, vulnerability: string) {
  const { name: part, type: kind, location } = component;
  const isWhole = part === name && kind === type && location === WHOLE;
  const inside = isWhole ? [] : [part, kind, location];
  return advisoryIdOf([type, name, architecture, ...inside, vulnerability]);
}

const OWN_ID = /^CGA(?:-[23456789cfghjmpqrvwx]{4}){3}$/;

/** @example isAdvisoryId("CGA-2345-6789-cfgh") // true */
export function isAdvisoryId(text: string): boolean {
  return OWN_ID.test(text);
}

export interface Writing {
  readonly advisoryId: string;
  readonly legacyAdvisoryId?: string;
  readonly author: string;
  readonly aliases: readonly string[];
  readonly events: readonly AdvisoryEvent[];
}

/** @example advisoryOn(wholeArtifact("openssl", "apk"), { advisoryId, author, aliases, events }) */
export function advisoryOn(artifact: Artifact, writing: Writing): Advisory {
  const { component } = artifact;
  const { legacyAdvisoryId } = writing;
  return create(AdvisorySchema, {
    advisoryId: writing.advisoryId,
    ...(legacyAdvisoryId === undefined ? {} : { legacyAdvisoryId }),
    author: writing.author,
    artifactName: artifact.name,
    artifactType: artifact.type,
    artifactArchitecture: artifact.architecture,
    componentName: component.name,
    componentLocation: component.location,
    componentType: component.type,
    aliases: [...writing.aliases],
    events: [...writing.events],
  });
}
