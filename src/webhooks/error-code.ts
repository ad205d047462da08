// The code of a system, TLS or HTTP error as text that may be stored: fixed words of ours and Node's, never what the other side wrote.

/** ` (ECONNREFUSED)` and the like, to stand behind a sentence; empty where the error has no such code. */
export function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
}
