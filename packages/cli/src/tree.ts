import { access } from "./access/commands.ts";
import { admin } from "./admin/commands.ts";
import { advisories } from "./advisories/commands.ts";
import { api } from "./api/commands.ts";
import { audit } from "./audit/commands.ts";
import { auth, shortcuts } from "./auth/commands.ts";
import { group } from "./command/definition.ts";
import { complete, completion } from "./completion/commands.ts";
import { config } from "./config/commands.ts";
import { contexts } from "./contexts/commands.ts";
import { decisions } from "./decisions/commands.ts";
import { events } from "./events/commands.ts";
import { exposure } from "./exposure/commands.ts";
import { health } from "./health/commands.ts";
import { help, versionCommand } from "./help/commands.ts";
import { accountAssociations } from "./iam/account-associations/commands.ts";
import { groupMappings } from "./iam/group-mappings/commands.ts";
import { folders, organizations } from "./iam/groups/commands.ts";
import { identities } from "./iam/identities/commands.ts";
import { identityProviders } from "./iam/identity-providers/commands.ts";
import { invites } from "./iam/invites/commands.ts";
import { roleBindings } from "./iam/role-bindings/commands.ts";
import { roles } from "./iam/roles/commands.ts";
import { images } from "./images/commands.ts";
import { open } from "./open/commands.ts";
import { osv } from "./osv/commands.ts";
import { registry } from "./registry/commands.ts";
import { repos } from "./repos/commands.ts";
import { retention } from "./retention/commands.ts";
import { sbom } from "./sbom/commands.ts";
import { scans } from "./scans/commands.ts";
import { serve } from "./serve/commands.ts";
import { sources } from "./sources/commands.ts";
import { tags } from "./tags/commands.ts";
import { upstreams } from "./upstreams/commands.ts";
import { verificationKeys } from "./verification-keys/commands.ts";

const iam = group({
  name: "iam",
  summary: "Manage identities, roles and access",
  commands: [
    organizations,
    folders,
    identities,
    roles,
    roleBindings,
    invites,
    identityProviders,
    groupMappings,
    accountAssociations,
  ],
});

/** All commands. */
export const tree = group({
  name: "wharf",
  summary: "Control plane for container supply chains",
  description: `Data goes to stdout, messages go to stderr. At a terminal, missing arguments are prompted for;
otherwise they are errors. \`wharf help COMMAND\` explains a command, \`wharf help formats\` output
formats, jq and pagers, \`wharf help lists\` sorting and filtering, \`wharf help exit-codes\` exit codes, and \`wharf help environment\` environment variables.`,
  commands: [
    ...shortcuts,
    auth,
    iam,
    access,
    repos,
    tags,
    retention,
    images,
    verificationKeys,
    sbom,
    exposure,
    decisions,
    scans,
    sources,
    osv,
    advisories,
    audit,
    events,
    api,
    open,
    config,
    contexts,
    serve,
    health,
    registry,
    upstreams,
    admin,
    completion,
    complete,
    help,
    versionCommand,
  ],
});
