import type { TestContext } from "node:test";
import type { Finished } from "../observer.ts";
import type { Port, PortOptions } from "../port/port.ts";
import { openPort } from "../port/port.ts";
import type { Answer } from "./fake-methods.ts";
import { FakeMethods } from "./fake-methods.ts";

export interface TestPort extends Port {
  readonly methods: FakeMethods;
  readonly events: Finished[];
}

/** Opens a port and closes it after the test. */
export async function open(
  t: TestContext,
  answers: Readonly<Record<string, Answer>>,
  options: Partial<PortOptions> = {},
): Promise<TestPort> {
  const methods = new FakeMethods(answers);
  const events: Finished[] = [];
  const port = await openPort({
    listen: { host: "127.0.0.1", port: 0 },
    methods,
    endpoints: [],
    observer: { finished: (event) => events.push(event) },
    errorDomain: "iam.wharf.internal",
    health: { serving: () => true, onChange() {} },
    ...options,
  });
  t.after(() => port.close(100));
  return { ...port, methods, events };
}
