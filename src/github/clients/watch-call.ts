// Somebody who looks at each call to GitHub, whoever makes it.

/** Sends one request, and sees what comes of it: an answer, or what was thrown. `route` holds nothing of what was put in; `holder` is whose limits count. */
export type WatchCall = <T extends { readonly status: number; readonly headers: object }>(
  about: { readonly route: string; readonly holder: string },
  send: () => Promise<T>,
) => Promise<T>;

/** Nobody looks. */
export const unwatched: WatchCall = (_, send) => send();
