import { Toast } from "@base-ui/react/toast";
import { texts } from "../texts/common.ts";

export const manager = Toast.createToastManager();

/** Confirms what was done; read aloud by screen readers, gone after some seconds. Errors stay until they are closed. */
export function ToastList() {
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
