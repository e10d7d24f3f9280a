import { group } from "../command/definition.ts";
import { folders } from "./folders/commands.ts";
import { organizations } from "./organizations/commands.ts";

export const iam = group({
  name: "iam",
  summary: "Manage who may do what, and where",
  commands: [organizations, folders],
});
