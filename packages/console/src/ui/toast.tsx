import { Toast } from "@base-ui/react/toast";
import type { ReactNode } from "react";
import { texts } from "../texts.ts";

/** Confirms what was done; read aloud by screen readers, gone after some seconds. */
export function Toasts({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider timeout={6_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Content className="toast-content">
        <Toast.Title className="toast-title" />
        <Toast.Close className="button quiet small">{texts.close}</Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Returns a function that shows a message. */
export function useToast(): (title: string) => void {
  const manager = Toast.useToastManager();
  return (title) => manager.add({ title });
}
