import { create } from "@bufbuild/protobuf";
import { type Advisory, type AdvisoryEvent, AdvisorySchema } from "@wharf/contract/messages";
import { advisoryIdOf } from "../advisory-id.ts";

/** The subject of an advisory. */
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

/** The default of documents that name no architecture. */
export const ALL_ARCHITECTURES = "all";

/** The location of a component that is the whole artifact. */
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

/** An id that depends only on artifact, component and vulnerability, so that every import derives the same. */
export function deriveAdvisoryId(
  { name, type, architecture, component }: Artifact,
  vulnerability: string,
) {
  const { name: componentName, type: componentType, location } = component;
  const isWhole = componentName === name && componentType === type && location === WHOLE;
  const inside = isWhole ? [] : [componentName, componentType, location];
  return advisoryIdOf([type, name, architecture, ...inside, vulnerability]);
}

const OWN_ID = /^CGA(?:-[23456789cfghjmpqrvwx]{4}){3}$/;

/** @example isAdvisoryId("CGA-2345-6789-cfgh") // true */
export function isAdvisoryId(text: string): boolean {
  return OWN_ID.test(text);
}

export interface AdvisoryFields {
  readonly advisoryId: string;
  readonly legacyAdvisoryId?: string;
  readonly author: string;
  readonly aliases: readonly string[];
  readonly events: readonly AdvisoryEvent[];
}

/** @example createAdvisory(wholeArtifact("openssl", "apk"), { advisoryId, author, aliases, events }) */
export function createAdvisory(artifact: Artifact, fields: AdvisoryFields): Advisory {
  const { component } = artifact;
  const { legacyAdvisoryId } = fields;
  return create(AdvisorySchema, {
    advisoryId: fields.advisoryId,
    ...(legacyAdvisoryId === undefined ? {} : { legacyAdvisoryId }),
    author: fields.author,
    artifactName: artifact.name,
    artifactType: artifact.type,
    artifactArchitecture: artifact.architecture,
    componentName: component.name,
    componentLocation: component.location,
    componentType: component.type,
    aliases: [...fields.aliases],
    events: [...fields.events],
  });
}
