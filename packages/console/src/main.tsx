import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/client.ts";
import { keepFocus } from "./app/keep-focus.ts";
import { router } from "./app/routes.tsx";
import { Toasts } from "./ui/toast.tsx";
import "./style/index.css";

keepFocus();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
