import { command, define, group } from "../command/definition.ts";
import { VERIFICATION_KEY } from "../resolve/kinds.ts";
import { resourceCommands } from "../resource/commands.ts";
import { argumentOf, argumentsOf, NAME_FILTERS, PARENT } from "../resource/options.ts";

const load = () => import("./run.ts");

export const createDefinition = define({
  writes: true,
  name: "create",
  summary: "Trust the signatures of a public key, or of an identity",
  description: `It applies to the images of the group and of those below. Signatures that are there already are verified
again in the background. An identity needs a trusted root, or certificates and keys of logs.`,
  examples: [
    { command: "wharf verification-keys create release --parent acme --public-key cosign.pub" },
    {
      command: `wharf verification-keys create ci --parent acme --trusted-root trusted_root.json --issuer https://token.actions.githubusercontent.com --subject 'https://github.com/acme/*'`,
    },
  ],
  arguments: [{ name: "name", summary: "Name of the key", required: true }],
  options: {
    parent: PARENT,
    "public-key": { type: "file", summary: "File with the public key (PEM)" },
    issuer: {
      type: "string",
      value: "URL",
      summary: "Issuer of the identity; * stands for any characters",
    },
    subject: {
      type: "string",
      value: "PATTERN",
      summary:
        "Subject of the certificate, an e-mail address or a URI; * stands for any characters",
    },
    "trusted-root": { type: "file", summary: "File with the trusted root of a Sigstore (JSON)" },
    "certificate-authority": {
      type: "file",
      summary: "File with the root and intermediate certificates (PEM)",
    },
    "transparency-logs": { type: "file", summary: "File with public keys of Rekor (PEM)" },
    "certificate-logs": { type: "file", summary: "File with public keys of CT logs (PEM)" },
  },
});

const verbs = resourceCommands(async () => (await load()).resource, {
  list: {
    summary: "List the keys and identities whose signatures count",
    examples: [{ command: "wharf verification-keys list --parent acme" }],
    filters: { name: NAME_FILTERS.name },
  },
  describe: {
    summary: "Show a key or an identity",
    examples: [{ command: "wharf verification-keys describe acme/release" }],
    argument: argumentOf("key", VERIFICATION_KEY),
  },
  delete: {
    summary: "Delete keys; what they have verified is not verified any more",
    examples: [{ command: "wharf verification-keys delete acme/release" }],
    argument: { ...argumentsOf("keys", VERIFICATION_KEY), required: true },
  },
});

export const verificationKeys = group({
  name: "verification-keys",
  aliases: ["verification-key"],
  summary: "Manage the keys and identities whose signatures of images count",
  commands: [verbs.list, verbs.describe, command(createDefinition, load, "create"), verbs.delete],
});
