import { Toast } from "@base-ui/react/toast";
import { type ReactNode, useEffect } from "react";
import { texts } from "../texts/common.ts";

interface Message {
  readonly title: string;
  readonly description?: ReactNode;
  readonly timeout?: number;
}

const manager = Toast.createToastManager();
/** Messages from before the list was there: the manager drops what nobody listens to. */
const early: Message[] = [];
let isListening = false;

/** Shows a message as soon as there is a list to show it in. */
export function add(message: Message): void {
  if (isListening) manager.add(message);
  else early.push(message);
}

/** Confirms what was done; read aloud by screen readers, gone after some seconds. Errors stay until they are closed. */
export function ToastList() {
  // Effects of children run first: the provider listens by now.
  useEffect(() => {
    isListening = true;
    for (const message of early.splice(0)) manager.add(message);
  }, []);
  return (
    <Toast.Provider timeout={6_000} toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Content className="toast-content">
        <div className="toast-text">
          <Toast.Title className="toast-title" />
          <Toast.Description className="toast-request" />
        </div>
        <Toast.Close className="button quiet small">{texts.close}</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
