/** A server, and the command logged in as its operator. */
import { TestServer } from "../../../server/test/support/server/test-server.ts";
import { type Ended, wharf } from "./command.ts";

/** A real server and the command, logged in as its operator by WHARF_TOKEN. */
export class Site {
  readonly server: TestServer;
  readonly env: Readonly<Record<string, string>>;

  private constructor(server: TestServer, token: string) {
    this.server = server;
    this.env = { WHARF_API: server.url, WHARF_TOKEN: token };
  }

  static async start(): Promise<Site> {
    const server = await TestServer.start();
    return new Site(server, await server.token());
  }

  run(...args: string[]): Promise<Ended> {
    return wharf(args, { env: this.env });
  }

  /** Runs a command that must succeed, and answers what it printed. */
  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`wharf ${args.join(" ")} ended with ${code}:\n${stderr}`);
    return stdout;
  }

  /** Creates a group and answers its uid. */
  async make(kind: "organizations" | "folders", name: string, ...more: string[]): Promise<string> {
    return (await this.ok("iam", kind, "create", name, "-q", "-o", "id", ...more)).trim();
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
